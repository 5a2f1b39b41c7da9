import { createHash } from 'node:crypto'
import type { WholeText } from './answer.ts'
import { type Html, html, textOf, trusted } from './html.ts'
import type { Web } from './web.ts'

/** What all pages of one kind have in common. Sources are named below `src/web`. */
export type PageKind = {
  /** Its style sheet: `pay/pay.css`. */
  readonly style: string
  /** The sheet is in the page itself, which saves a request before the first paint. Only for small sheets. */
  readonly inlined?: true
  /** Its module: `pay/main.ts`. */
  readonly script?: string
  /** A small module that runs as soon as it is there, while the other one is loaded. The page has no other scripts. */
  readonly early?: string
  /** The one policy of trusted types that may make HTML from text; none if not given. */
  readonly trustedTypes?: string
  /**
   * Only people with the link may see the page: search engines must not index it. `address`: the address itself is the
   * secret, so it is never sent as a referrer.
   */
  readonly secret?: true | 'address'
}

/** One page. */
export type PageContent = {
  readonly title: string
  readonly body: Html
  readonly lang: string
  readonly dir?: 'rtl'
  readonly status?: number
  /** Classes of the body. */
  readonly bodyClass?: string
  /** `data-` attributes of the body, without the prefix. */
  readonly bodyData?: Readonly<Record<string, string>>
  /** Further elements of the head. */
  readonly head?: Html
  /** A style sheet of this page alone, such as the colours of a merchant. Its values must be checked before. */
  readonly ownStyle?: string
  /** Description for search engines. Only on public pages. */
  readonly description?: string
}

export type RenderPage = (web: Web, content: PageContent) => WholeText

/**
 * A page loads scripts, styles and data from its own origin only. Text never becomes HTML or script in it: the browser
 * refuses that for everything but the named policy of trusted types.
 */
export const definePage = (kind: PageKind): RenderPage => {
  const known = new WeakMap<Web, Common>()
  return (web, { status = 200, ...content }) => {
    const common = known.get(web) ?? commonOf(web, kind)
    known.set(web, common)
    const { title, body, lang, dir, bodyClass, bodyData = {}, head, ownStyle, description } = content
    const text = html`<!doctype html>
<html lang="${lang}"${dir && html` dir="${dir}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${description !== undefined && html`<meta name="description" content="${description}">\n`}<link rel="icon" href="data:,">
${common.head}${ownStyle !== undefined && html`<style>${trusted(ownStyle)}</style>\n`}${head}</head>
<body${bodyClass && html` class="${bodyClass}"`}${Object.entries(bodyData).map(([name, value]) => html` data-${name}="${value}"`)}>
${body}
</body>
</html>
`
    const headers = ownStyle === undefined ? common.headers : headersOf(kind, [...common.inlined, ownStyle])
    return { status, text: textOf(text), headers }
  }
}

type Common = {
  readonly head: Html
  readonly inlined: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

const commonOf = (web: Web, kind: PageKind): Common => {
  const { style, script, early } = kind
  const inlined = kind.inlined ? [web.styleText(style)] : []
  const scripts = [early, script].filter(each => each !== undefined)
  const preloads = new Set(scripts.flatMap(each => web.preloads(each)))
  const head = html`${inlined.map(text => html`<style>${trusted(text)}</style>\n`)}${
    !kind.inlined && html`<link rel="stylesheet" href="${web.asset(style)}">\n`
  }${early !== undefined && html`<script type="module" src="${web.asset(early)}" async></script>\n`}${
    script !== undefined && html`<script type="module" src="${web.asset(script)}"></script>\n`
  }${[...preloads].map(address => html`<link rel="modulepreload" href="${address}">\n`)}`
  return { head, inlined, headers: headersOf(kind, inlined) }
}

const headersOf = ({ script, trustedTypes = "'none'", secret }: PageKind, inlined: readonly string[]) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    ...(script === undefined ? [] : ["script-src 'self'"]),
    ["style-src 'self'", ...inlined.map(hashOfStyle)].join(' '),
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes}`,
  ].join('; '),
  // Not `no-referrer` where it can be avoided: forms are then sent with `Origin: null`, and browsers before 2023 say nothing
  // else about where a form comes from.
  'referrer-policy': secret === 'address' ? 'no-referrer' : 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  ...(secret && { 'x-robots-tag': secret === 'address' ? 'noindex' : 'noindex, nofollow, noarchive' }),
})

const hashOfStyle = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

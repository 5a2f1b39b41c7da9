import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { WholeText } from './answer.ts'
import { type Html, html, textOf, trusted } from './html.ts'
import { joinScript } from './script.ts'

/** A common layout. A page loads nothing, neither from other hosts nor from this server, and runs only its own script. */
export type Layout = {
  readonly textOf: (title: string, body: Html) => string
  readonly send: (text: string, status?: number) => WholeText
}

/** What a page may do beyond showing text. */
export type Abilities = {
  /** Script at the end of the page, together with its imports. */
  readonly script?: URL
  /** The script calls the API of this server, and no other host. */
  readonly calls?: true
  /** The page has forms, which are sent to its own origin. */
  readonly forms?: true | undefined
  /** Only people with the link may see the page: search engines must not index it. */
  readonly secret?: true
  /** Description for search engines. Only on public pages. */
  readonly description?: string
}

/** A layout with the common styles and these additional ones. */
export const openLayout = (
  styles: readonly URL[],
  { script: scriptUrl, secret, description, ...may }: Abilities = {},
): Layout => {
  const style = [new URL('./page.css', import.meta.url), ...styles].map(url => readFileSync(url, 'utf8')).join('')
  const script = scriptUrl && joinScript(scriptUrl)
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor({ style, script, description, ...may }),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    ...(secret && { 'x-robots-tag': 'noindex, nofollow, noarchive' }),
  }
  return {
    textOf: (title, body) => textOf(whole({ title, style, script, description }, body)),
    send: (text, status = 200) => ({ status, text, headers }),
  }
}

type Parts = {
  readonly title: string
  readonly style: string
  readonly script: string | undefined
  readonly description: string | undefined
}

const whole = ({ title, style, script, description }: Parts, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${
  description !== undefined &&
  html`<meta name="description" content="${description}">
`
}<link rel="icon" href="data:,">
<style>${trusted(style)}</style>
</head>
<body>
${body}
${
  script !== undefined &&
  html`<script>${trusted(script)}</script>
`
}</body>
</html>
`

type Policy = Omit<Parts, 'title'> & Pick<Abilities, 'forms' | 'calls'>

/** Injected markup cannot run scripts or load anything, and the page cannot be put into a frame. */
const policyFor = ({ style, script, description, forms, calls }: Policy): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    'img-src data:',
    // Lighthouse reads robots.txt under the policy of the page, and counts it as broken where that forbids to connect.
    ...(calls || description !== undefined ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    `form-action ${forms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join('; ')

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

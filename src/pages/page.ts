import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { WholeText } from './answer.ts'
import { type Html, html, textOf, trusted } from './html.ts'

/** A common layout. A page loads nothing, neither from other hosts nor from this server, and runs no script. */
export type Layout = {
  readonly textOf: (title: string, body: Html) => string
  readonly send: (text: string, status?: number) => WholeText
}

/** A layout with the common styles and these additional ones. `description` is for search engines. */
export const openLayout = (styles: readonly URL[], { description }: { readonly description: string }): Layout => {
  const style = [new URL('./page.css', import.meta.url), ...styles].map(url => readFileSync(url, 'utf8')).join('')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(style),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  }
  return {
    textOf: (title, body) => textOf(whole({ title, style, description }, body)),
    send: (text, status = 200) => ({ status, text, headers }),
  }
}

type Parts = {
  readonly title: string
  readonly style: string
  readonly description: string
}

const whole = ({ title, style, description }: Parts, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="data:,">
<style>${trusted(style)}</style>
</head>
<body>
${body}
</body>
</html>
`

/** Injected markup cannot run scripts or load anything, and the page cannot be put into a frame. */
const policyFor = (style: string): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    'img-src data:',
    // Lighthouse reads robots.txt under the policy of the page, and counts it as broken where that forbids to connect.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

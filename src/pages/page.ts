import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Answer } from '../http/route.ts'
import { type Html, html, textOf, trusted } from './html.ts'

/** Pages that look alike and need nothing but themselves: no script, no other host, not even ours. */
export type Layout = {
  readonly textOf: (title: string, body: Html) => string
  readonly send: (text: string, status?: number) => Answer
}

/** What all pages have, and the style that these have beside it. */
export const openLayout = (ownStyle: URL): Layout => {
  const style = [new URL('./page.css', import.meta.url), ownStyle].map(url => readFileSync(url, 'utf8')).join('')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(style),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  }
  return {
    textOf: (title, body) => textOf(whole(title, style, body)),
    send: (text, status = 200) => ({ status, text, headers }),
  }
}

const whole = (title: string, style: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${trusted(style)}</style>
</head>
<body>
${body}
</body>
</html>
`

/** Whatever slips into a page, nothing runs, nothing is loaded, and nobody puts it into a frame. */
const policyFor = (style: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

import type { Locale } from '../web/text/locale.ts'
import type { WholeText } from './answer.ts'
import { html } from './html.ts'
import { definePage } from './layout.ts'
import type { Web } from './web.ts'

const page = definePage({ style: 'ops/ops.css', script: 'ops/main.tsx' })

const noScript = {
  en: 'These pages need JavaScript. Everything they show can also be read with the API.',
  de: 'Diese Seiten brauchen JavaScript. Alles, was sie zeigen, gibt auch die API.',
} as const

/** The frame of the pages for operators: the same for everyone, because the module loads the data with the session. */
export const opsPage = (web: Web, locale: Locale): WholeText =>
  page(web, {
    ...{ title: 'Operations – paymachine', lang: locale },
    body: html`<div id="app"></div>
<noscript><p>${noScript[locale]} <a href="/docs">API</a></p></noscript>`,
  })

import type { Locale } from '../web/text/locale.ts'
import { problemTexts } from '../web/text/problems/texts.ts'
import type { TextAnswer } from './answer.ts'
import { html } from './html.ts'
import { brandMark } from './icons.ts'
import { definePage } from './layout.ts'
import type { Web } from './web.ts'

const page = definePage({ style: 'notice/notice.css', inlined: true })

/** The page for a path that does not exist. */
export const notFoundPage = (web: Web, locale: Locale): TextAnswer => {
  const { notFound } = problemTexts(locale)
  const body = html`<div class="notice">
<header><a class="brand" href="/">${brandMark}paymachine</a></header>
<main id="main">
<h1>${notFound.title}</h1>
<p class="lead">${notFound.what}</p>
<p class="quiet">${notFound.nothingChanged}</p>
<p><a class="button" href="/">${notFound.start}</a></p>
</main>
</div>`
  return page(web, { title: notFound.title, status: 404, lang: locale, body, bodyClass: 'page' })
}

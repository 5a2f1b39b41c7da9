import type { TextAnswer } from './answer.ts'
import { card } from './card.ts'
import { html } from './html.ts'
import { definePage } from './layout.ts'
import type { Web } from './web.ts'

const page = definePage({ style: 'notice/notice.css', inlined: true })

/** The page for a path that does not exist. */
export const notFoundPage = (web: Web): TextAnswer =>
  page(web, {
    title: 'Page not found',
    status: 404,
    lang: 'en',
    body: card(html`<h1>Page not found</h1>
<p>There is no page at this address. Check the address, or ask the sender of the link for a new one.</p>
<p>Nothing was paid or changed.</p>`),
  })

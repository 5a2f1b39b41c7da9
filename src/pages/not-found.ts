import type { TextAnswer } from './answer.ts'
import { card, cardStyle } from './card.ts'
import { html } from './html.ts'
import { openLayout } from './page.ts'

const layout = openLayout([cardStyle])

/** The page for a path that does not exist. */
export const notFoundPage = (): TextAnswer =>
  layout.send(
    layout.textOf(
      'Page not found',
      card(html`<h1>Page not found</h1>
<p>There is no page at this address. Check the address, or ask the sender of the link for a new one.</p>
<p>Nothing was paid or changed.</p>`),
    ),
    404,
  )

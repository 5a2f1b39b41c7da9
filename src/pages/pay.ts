import type { PaymentLink } from '../../machines/payment-link.ts'
import type { Actor } from '../actors/kind.ts'
import type { TextAnswer } from './answer.ts'
import { amountLine, card, cardStyle } from './card.ts'
import { html } from './html.ts'
import { moneyOf } from './money.ts'
import { openLayout } from './page.ts'

const layout = openLayout([cardStyle])

/** The page of a payment link, for customers. */
export const payPage = ({ state, context }: Actor<PaymentLink>, merchantName: string): TextAnswer => {
  const { amountMinor, currency, title, description, livemode } = context
  const amount = moneyOf(amountMinor, currency)
  const closed = closedBecause[state]
  const text = layout.textOf(
    `${title ?? amount} – ${merchantName}`,
    card(html`<p class="quiet"><bdi>${merchantName}</bdi></p>
${title !== null && html`<h1><bdi>${title}</bdi></h1>`}
${amountLine(amount)}
${description !== null && html`<p><bdi>${description}</bdi></p>`}
<p><strong>${closed ?? 'This payment link is active.'}</strong></p>
${!livemode && html`<p class="test">Test mode: no real money</p>`}`),
  )
  return layout.send(text, closed === undefined ? 200 : 410)
}

export const noPayPage = (): TextAnswer =>
  layout.send(
    layout.textOf(
      'Payment link not found',
      card(html`<h1>Payment link not found</h1>
<p>There is no payment link at this address. Check the link, or ask the sender for a new one.</p>
<p>Nothing was paid.</p>`),
    ),
    404,
  )

const closedBecause: Readonly<Record<string, string>> = {
  deactivated: 'This payment link is closed. Do not send money. Ask the seller for a new link.',
  completed: 'This payment link has already been paid. Do not pay again.',
  expired: 'This payment link has expired. Do not send money. Ask the seller for a new link.',
}

import type { PaymentLink } from '../../machines/payment-link.ts'
import type { Actor } from '../actors/kind.ts'
import type { Answer } from '../http/route.ts'
import { amountLine, card, cardStyle } from './card.ts'
import { html } from './html.ts'
import { moneyOf } from './money.ts'
import { openLayout } from './page.ts'

const layout = openLayout([cardStyle])

/** What a customer sees of a payment link. */
export const payPage = ({ state, context }: Actor<PaymentLink>, merchantName: string): Answer => {
  const { amountMinor, currency, title, description, livemode } = context
  const amount = moneyOf(amountMinor, currency)
  const closed = closedBecause[state]
  const text = layout.textOf(
    `${title ?? amount} – ${merchantName}`,
    card(html`<p class="quiet"><bdi>${merchantName}</bdi></p>
${title !== null && html`<h1><bdi>${title}</bdi></h1>`}
${amountLine(amount)}
${description !== null && html`<p><bdi>${description}</bdi></p>`}
<p><strong>${closed ?? 'This link is open.'}</strong></p>
${!livemode && html`<p class="test">Test mode: no real money</p>`}`),
  )
  return layout.send(text, closed === undefined ? 200 : 410)
}

export const noPayPage = (): Answer =>
  layout.send(
    layout.textOf(
      'No such payment link',
      card(html`<h1>There is no such payment link</h1>
<p>Look at the address again, or ask whoever sent you here.</p>`),
    ),
    404,
  )

const closedBecause: Readonly<Record<string, string>> = {
  deactivated: 'This payment link is closed.',
  completed: 'This payment link has been paid.',
  expired: 'This payment link has expired.',
}

import type { Answer } from '../http/route.ts'
import type { VisitedClaim } from '../queries/refund-claims.ts'
import { amountLine, card, cardStyle } from './card.ts'
import { amountOf, masked } from './claim-facts.ts'
import { type ClaimFault, confirmForm, namingForm } from './claim-forms.ts'
import { claimMessage } from './claim-message.ts'
import { type Html, html } from './html.ts'
import { moneyOf } from './money.ts'
import { openLayout } from './page.ts'

const styles = [cardStyle, new URL('./claim.css', import.meta.url)]
const layout = openLayout(styles, { forms: true, secret: true })
/** Of the page that takes an address. */
const askingLayout = openLayout(styles, {
  ...{ script: new URL('./claim-wallet.js', import.meta.url), forms: true, secret: true },
})

/** What a page says beside what is in the claim. */
export type Place = { readonly network: string; readonly host: string }

/** What somebody has typed, and what is wrong with it. */
export type Attempt = { readonly address: string; readonly fault: ClaimFault }

/** Asks the customer of a refund where it goes. */
export const namingPage = (claim: VisitedClaim, place: Place, attempt?: Attempt): Answer => {
  const { merchantName } = claim
  return send(
    `${attempt ? 'Error: ' : ''}Your refund from ${merchantName}`,
    html`${head(claim, 'Where shall your refund go?')}
${facts(claim, place)}
${namingForm({ network: place.network, message: claimMessage(claim, place.host), attempt })}`,
    { status: attempt ? 422 : 200, within: askingLayout },
  )
}

/** The address once more, before it is too late. */
export const confirmPage = (claim: VisitedClaim, place: Place, address: string, signature: string): Answer =>
  send(
    `Is this your address? – ${claim.merchantName}`,
    html`${head(claim, 'Is this your address?')}
${facts(claim, place)}
${confirmForm({ network: place.network, address, signature })}`,
  )

/** To whoever has just named it, who knows the address anyway. */
export const namedPage = (claim: VisitedClaim, place: Place, address: string): Answer =>
  send(
    `Thank you – ${claim.merchantName}`,
    html`${head(claim, 'Thank you')}
<p>${amountOf(claim)} will go to this address on ${place.network}:</p>
<p class="address"><code>${address}</code></p>
<p><bdi>${claim.merchantName}</bdi> sends it. You need not do anything else.</p>`,
  )

/** To everybody else: an address that is not theirs is shown in part. `tried`: they have named another one. */
export const takenPage = (claim: VisitedClaim, place: Place, tried: boolean): Answer => {
  const { state, context } = claim.refund
  return send(
    `Your refund from ${claim.merchantName}`,
    html`${head(claim, 'The address has been named')}
${tried && html`<p role="alert"><strong>Nothing was changed: another address had been named before.</strong></p>`}
<p>${amountOf(claim)} ${journeys[state] ?? 'will go'} to <strong>${masked(context.destination ?? '')}</strong> on ${place.network}.</p>
<p>Is that not yours? Ask <bdi>${claim.merchantName}</bdi>.</p>`,
    { status: tried ? 409 : 200 },
  )
}

const journeys: Readonly<Record<string, string>> = { processing: 'is on its way', processed: 'has been sent' }

export const closedPage = (claim: VisitedClaim): Answer => {
  const isCanceled = claim.refund.state === 'canceled'
  return send(
    `Your refund from ${claim.merchantName}`,
    html`${head(claim, isCanceled ? 'This refund has been canceled' : 'This page has expired')}
<p>No address can be named here any more. Ask <bdi>${claim.merchantName}</bdi> about it.</p>`,
    { status: 410 },
  )
}

export const noClaimPage = (): Answer =>
  send(
    'No such refund',
    html`<h1>There is no such refund</h1>
<p>Look at the address again, or ask whoever sent you here.</p>`,
    { status: 404 },
  )

const head = ({ merchantName, refund }: VisitedClaim, title: string): Html => {
  const amount = moneyOf(refund.context.amountMinor, refund.context.currency)
  return html`<p class="quiet">Refund from <bdi>${merchantName}</bdi></p>
<h1>${title}</h1>
${amountLine(amount)}
${!refund.context.livemode && html`<p class="test">Test mode: no real money</p>`}`
}

const facts = (claim: VisitedClaim, { network }: Place): Html => html`<dl class="facts">
<div><dt>You receive</dt><dd>${amountOf(claim)}</dd></div>
<div><dt>On the network</dt><dd>${network}</dd></div>
</dl>`

const send = (title: string, content: Html, { status = 200, within = layout } = {}): Answer =>
  within.send(within.textOf(title, card(content)), status)

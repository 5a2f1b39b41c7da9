import type { VisitedClaim } from '../queries/refund-claims.ts'
import type { TextAnswer } from './answer.ts'
import { amountLine, card } from './card.ts'
import { claimAmount, masked } from './claim-facts.ts'
import { type ClaimFault, confirmForm, inFours, namingForm } from './claim-forms.ts'
import { claimMessage } from './claim-message.ts'
import { type Html, html } from './html.ts'
import { definePage } from './layout.ts'
import { moneyOf } from './money.ts'
import type { Web } from './web.ts'

const kind = { style: 'claim/claim.css', inlined: true, secret: true } as const
const page = definePage(kind)
/** The page with the address form, which a wallet can fill in. */
const namingFrame = definePage({ ...kind, script: 'claim/main.ts' })

/** Facts on the page that are not part of the claim. */
export type ClaimPageFacts = { readonly network: string; readonly host: string }

/** A rejected address, and the reason. */
export type ClaimAttempt = { readonly address: string; readonly fault: ClaimFault }

/** Asks the customer for the address of the refund. */
export const namingPage = (
  web: Web,
  claim: VisitedClaim,
  place: ClaimPageFacts,
  attempt?: ClaimAttempt,
): TextAnswer => {
  const { merchantName } = claim
  return send(
    web,
    `${attempt ? 'Error: ' : ''}Your refund from ${merchantName}`,
    html`${head(claim, 'Enter your address for the refund')}
${facts(claim, place)}
${namingForm({ network: place.network, message: claimMessage(claim, place.host), attempt })}`,
    { status: attempt ? 422 : 200, within: namingFrame },
  )
}

/** Asks the customer to confirm the address. */
export const confirmPage = (
  web: Web,
  claim: VisitedClaim,
  place: ClaimPageFacts,
  address: string,
  signature: string,
): TextAnswer =>
  send(
    web,
    `Is this your address? – ${claim.merchantName}`,
    html`${head(claim, 'Is this your address?')}
${facts(claim, place)}
${confirmForm({ network: place.network, address, signature })}`,
  )

/** For the person who has just entered the address: shows all of it. */
export const namedPage = (web: Web, claim: VisitedClaim, place: ClaimPageFacts, address: string): TextAnswer =>
  send(
    web,
    `Thank you – ${claim.merchantName}`,
    html`${head(claim, 'Thank you')}
<p>Your address was received. <bdi>${claim.merchantName}</bdi> will send ${claimAmount(claim)} to this address on ${place.network}:</p>
<p class="named"><code>${inFours(address)}</code></p>
<p>You do not have to do anything else.</p>`,
  )

/** For everyone else: shows only a part of the address. `tried`: they have entered another address. */
export const takenPage = (web: Web, claim: VisitedClaim, place: ClaimPageFacts, tried: boolean): TextAnswer => {
  const { state, context } = claim.refund
  return send(
    web,
    `Your refund from ${claim.merchantName}`,
    html`${head(claim, 'An address was already entered')}
${tried && html`<p role="alert"><strong>Your address was not stored: another address was entered before.</strong></p>`}
<p>${claimAmount(claim)} ${journeys[state] ?? 'will be sent'} to <strong>${masked(context.destination ?? '')}</strong> on ${place.network}.</p>
<p>If this is not your address, contact <bdi>${claim.merchantName}</bdi>.</p>`,
    { status: tried ? 409 : 200 },
  )
}

const journeys: Readonly<Record<string, string>> = { processing: 'is being sent', processed: 'was sent' }

export const closedPage = (web: Web, claim: VisitedClaim): TextAnswer => {
  const isCanceled = claim.refund.state === 'canceled'
  return send(
    web,
    `Your refund from ${claim.merchantName}`,
    html`${head(claim, isCanceled ? 'This refund was canceled' : 'This page has expired')}
<p>${isCanceled ? 'No money will be sent for this refund.' : 'You can no longer enter an address here. No money was sent.'} Contact <bdi>${claim.merchantName}</bdi> if you have questions or need a new link.</p>`,
    { status: 410 },
  )
}

export const noClaimPage = (web: Web): TextAnswer =>
  send(
    web,
    'Refund not found',
    html`<h1>Refund not found</h1>
<p>There is no refund at this address. Check the link, or ask the sender for a new one.</p>`,
    { status: 404 },
  )

const head = ({ merchantName, refund }: VisitedClaim, title: string): Html => {
  const amount = moneyOf(refund.context.amountMinor, refund.context.currency)
  return html`<p class="quiet">Refund from <bdi>${merchantName}</bdi></p>
<h1>${title}</h1>
${amountLine(amount)}
${!refund.context.livemode && html`<p class="test">Test mode: no real money</p>`}`
}

const facts = (claim: VisitedClaim, { network }: ClaimPageFacts): Html => html`<dl class="facts facts--last">
<div><dt>You receive</dt><dd>${claimAmount(claim)}</dd></div>
<div><dt>Network</dt><dd>${network}</dd></div>
</dl>`

const send = (web: Web, title: string, content: Html, { status = 200, within = page } = {}): TextAnswer =>
  within(web, { title, body: card(content), lang: 'en', status })

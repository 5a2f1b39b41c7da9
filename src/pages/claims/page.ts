import { checkoutTextsOf } from '../../web/text/checkout/texts.ts'
import { type ClaimsTexts, claimsTexts } from '../../web/text/claims/texts.ts'
import type { Locale } from '../../web/text/locale.ts'
import type { TextAnswer } from '../answer.ts'
import { brandStyle } from '../checkout/brand.ts'
import { fill, fillText } from '../checkout/fill.ts'
import { factList, logo, shopName, testBanner, transactionLink } from '../checkout/parts.ts'
import { type Html, html } from '../html.ts'
import { definePage } from '../layout.ts'
import { moneyOf } from '../money.ts'
import type { Web } from '../web.ts'
import { amountLine, card } from './card.ts'
import { type ClaimPageFacts, claimAmount, masked } from './facts.ts'
import { type ClaimFault, confirmForm, inFours, namingForm, sandboxForm } from './forms.ts'
import { claimMessage } from './message.ts'

const kind = { style: 'claim/claim.css', inlined: true, secret: 'address' } as const
const page = definePage(kind)
/** The page with the address form, which a wallet can fill in. */
const namingFrame = definePage({ ...kind, script: 'claim/main.ts' })

/** A rejected address, and the reason. */
export type ClaimAttempt = { readonly address: string; readonly fault: ClaimFault }

/** Asks the customer for the address of the refund. */
export const namingPage = (web: Web, facts: ClaimPageFacts, attempt?: ClaimAttempt): TextAnswer => {
  const { claim, host, network, sandboxWallet, locale } = facts
  const texts = claimsTexts(locale)
  const title = titleOf(texts.title, facts)
  const content = html`${head(facts, texts.enter)}
${amounts(facts)}
${sandboxWallet !== null && sandboxForm(texts, sandboxWallet)}
${namingForm({ texts, network, message: claimMessage(claim, host), attempt })}`
  return send(web, facts, attempt ? fillText(texts.errorTitle, { title }) : title, content, {
    status: attempt ? 422 : 200,
    within: namingFrame,
    texts: texts.live,
  })
}

/** Asks the customer to confirm the address. */
export const confirmPage = (web: Web, facts: ClaimPageFacts, address: string, signature: string): TextAnswer => {
  const texts = claimsTexts(facts.locale)
  return send(
    web,
    facts,
    titleOf(texts.confirm.title, facts),
    html`${head(facts, texts.confirm.heading)}
${amounts(facts)}
${confirmForm({ texts, network: facts.network, address, signature, isSandboxWallet: address.toLowerCase() === facts.sandboxWallet?.toLowerCase() })}`,
  )
}

/** For the person who has just entered the address: shows all of it. */
export const namedPage = (web: Web, facts: ClaimPageFacts, address: string): TextAnswer => {
  const { done } = claimsTexts(facts.locale)
  const { claim, network, shop } = facts
  const { state } = claim.refund
  const values = { shop: shopName(shop), amount: claimAmount(facts), network }
  const what = state === 'processing' || state === 'processed' ? done[state] : done.what
  return send(
    web,
    facts,
    titleOf(done.title, facts),
    html`${head(facts, done.heading)}
<p>${fill(what, values)}</p>
<p class="named"><code>${inFours(address)}</code></p>
${transaction(facts)}
<p>${done.next}</p>`,
  )
}

/** For everyone else: shows only a part of the address. `tried`: they have entered another address. */
export const takenPage = (web: Web, facts: ClaimPageFacts, tried: boolean): TextAnswer => {
  const texts = claimsTexts(facts.locale)
  const { claim, network, shop } = facts
  const { state, context } = claim.refund
  const address = html`<strong>${masked(context.destination ?? '')}</strong>`
  const heading = state === 'processed' ? texts.taken.sentHeading : texts.taken.heading
  return send(
    web,
    facts,
    titleOf(texts.title, facts),
    html`${head(facts, heading)}
${tried && html`<p role="alert"><strong>${texts.taken.tried}</strong></p>`}
<p>${fill(journeyOf(texts, state), { amount: claimAmount(facts), address, network })}</p>
${transaction(facts)}
<p>${fill(texts.taken.notYours, { shop: shopName(shop) })}</p>`,
    { status: tried ? 409 : 200 },
  )
}

const journeyOf = ({ taken }: ClaimsTexts, state: string): string =>
  state === 'processing' || state === 'processed' ? taken[state] : taken.waits

export const closedPage = (web: Web, facts: ClaimPageFacts): TextAnswer => {
  const { closed, title } = claimsTexts(facts.locale)
  const isCanceled = facts.claim.refund.state === 'canceled'
  return send(
    web,
    facts,
    titleOf(title, facts),
    html`${head(facts, isCanceled ? closed.canceled : closed.expired)}
<p>${fill(isCanceled ? closed.canceledWhat : closed.expiredWhat, { shop: shopName(facts.shop) })}</p>`,
    { status: 410 },
  )
}

export const noClaimPage = (web: Web, locale: Locale): TextAnswer => {
  const { none } = claimsTexts(locale)
  const body = card(html`<h1>${none.title}</h1>
<p>${none.what}</p>`)
  return page(web, { title: none.title, body, lang: locale, status: 404 })
}

const titleOf = (sentence: string, { shop, claim, locale }: ClaimPageFacts): string => {
  const title = fillText(sentence, { shop: shop.name })
  return claim.refund.context.livemode ? title : fillText(checkoutTextsOf(locale).test.title, { title })
}

/** The number of the invoice is no link: the address of its page is a secret of its own. */
const head = ({ claim, shop, locale }: ClaimPageFacts, title: string): Html => {
  const { amountMinor, currency } = claim.refund.context
  const texts = claimsTexts(locale)
  const number = claim.invoiceNumber
  return html`<div class="shop">${logo(shop)}<span class="shop__name">${fill(texts.from, { shop: shopName(shop) })}</span></div>
<h1>${title}</h1>
${amountLine(moneyOf(amountMinor, currency, locale))}
${number !== null && html`<p class="quiet" data-testid="invoice-number">${fill(texts.invoice, { number: html`<bdi>${number}</bdi>` })}</p>`}`
}

const amounts = (facts: ClaimPageFacts): Html => {
  const { network, locale } = facts
  const texts = claimsTexts(locale)
  return html`<dl class="facts facts--last">
<div><dt>${texts.receive}</dt><dd class="num">${claimAmount(facts)}</dd></div>
<div><dt>${texts.network}</dt><dd>${network}</dd></div>
</dl>`
}

/** The transaction that pays the refund, once it is known. */
const transaction = ({ claim, explorerUrl, locale }: ClaimPageFacts): Html | undefined => {
  const { state, context } = claim.refund
  if ((state !== 'processing' && state !== 'processed') || context.txHash === null) return undefined
  return factList([[claimsTexts(locale).transaction, transactionLink(context.txHash, explorerUrl)]])
}

type Sending = {
  readonly status?: number
  readonly within?: typeof page
  /** For the script of the page. */
  readonly texts?: ClaimsTexts['live']
}

const send = (
  web: Web,
  { claim, shop, locale }: ClaimPageFacts,
  title: string,
  content: Html,
  { status = 200, within = page, texts }: Sending = {},
): TextAnswer => {
  const isTest = !claim.refund.context.livemode
  const other = locale === 'en' ? { code: 'de', name: 'Deutsch' } : { code: 'en', name: 'English' }
  return within(web, {
    ...{ title, lang: locale, status },
    body: html`${isTest && testBanner({ texts: checkoutTextsOf(locale) })}
${card(content)}
<footer class="language"><a href="?lang=${other.code}" hreflang="${other.code}" lang="${other.code}" data-testid="language">${other.name}</a></footer>`,
    ...(texts && { bodyData: { texts: JSON.stringify(texts) } }),
    ...(shop.accentColor !== null && { ownStyle: brandStyle(shop.accentColor) }),
  })
}

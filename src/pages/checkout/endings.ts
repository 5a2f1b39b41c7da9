import { type Html, html } from '../html.ts'
import { icons } from '../icons.ts'
import { moneyOf } from '../money.ts'
import { fill, fillText } from './fill.ts'
import { clockTime, fullTime } from './moments.ts'
import {
  actions,
  type CheckoutScene,
  contactButton,
  contactLink,
  endingHead,
  type Fact,
  factList,
  invoiceLink,
  note,
  paymentNumber,
  shopName,
  shortId,
  strip,
  transactionLink,
} from './parts.ts'
import { againButton, strayText } from './pay.ts'
import type { CheckoutView, ExpiredView, FailedView, LateView, PaidView, SeenView } from './view.ts'

export const seenStep = (scene: CheckoutScene, view: SeenView): Html => {
  const { texts, facts } = scene
  const { amount, network, confirmations, required, txHash, seenAt } = view
  const values = {
    amount: amount.text,
    network: network.network,
    count: countWord(texts.seen.numbers, required),
    duration: duration(scene, Math.max(10_000, required * network.blockMs), 'long'),
  }
  const left = Math.max(0, required - confirmations) * network.blockMs
  return html`${strip(scene, { at: 'confirm' })}
<div class="body">
<div class="step__head">
<h1 tabindex="-1">${texts.seen.heading}</h1>
<p class="lead">${fill(required === 1 ? texts.seen.leadOne : texts.seen.lead, values)}</p>
</div>
<div class="meter" data-testid="confirmations" data-value="${confirmations}" data-required="${required}" role="status">
${confirmationBar(confirmations, required)}
<p class="meter__text"><b>${fill(texts.seen.progress, { count: Math.min(confirmations, required), required })}</b><span class="quiet">${left < 2_000 ? texts.seen.almost : fill(texts.seen.left, { duration: duration(scene, left, 'short') })}</span></p>
</div>
<p class="quiet">${texts.seen.close}</p>
${factList([
  [texts.seen.amount, amount.text, 'sum'],
  txHash !== null && [texts.seen.transaction, transactionLink(txHash, network.explorerUrl)],
  seenAt !== null && [texts.seen.seenAt, fullTime(seenAt, facts.locale)],
])}
</div>`
}

/** One segment for each confirmation; with many of them one bar. */
const MOST_SEGMENTS = 12

const confirmationBar = (confirmations: number, required: number): Html => {
  if (required > MOST_SEGMENTS)
    return html`<svg class="meter__part" viewBox="0 0 ${required} 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.min(confirmations, required)}" height="1"/></svg>`
  return html`<div class="meter__bar" aria-hidden="true">${Array.from({ length: required }, (_, at) =>
    at < confirmations ? html`<i class="on"></i>` : at === confirmations ? html`<i class="next"></i>` : html`<i></i>`,
  )}</div>`
}

const countWord = (words: string, count: number): string => words.split(' ')[count - 1] ?? String(count)

const duration = ({ texts: { seen } }: CheckoutScene, ms: number, length: 'long' | 'short'): string => {
  const seconds = Math.ceil(ms / 1_000)
  const minutes = Math.ceil(seconds / 60)
  if (length === 'short')
    return seconds < 100
      ? fillText(seen.secondsShort, { count: seconds })
      : fillText(seen.minutesShort, { count: minutes })
  if (seconds < 60) return fillText(seen.seconds, { count: seconds })
  return minutes === 1 ? seen.minute : fillText(seen.minutes, { count: minutes })
}

export const paidStep = (scene: CheckoutScene, view: PaidView): Html => {
  const { texts, facts } = scene
  const { amount, expected, excess, network, txHash, completedAt, strays } = view
  const shop = shopName(facts.shop)
  const isTooMuch = view.status === 'overpaid'
  const successUrl = facts.link?.context.successUrl
  const contact = contactLink(scene)
  const values = { shop, amount: amount.text, excess: excess.text, contact: contact ?? '' }
  const heading = isTooMuch ? fill(texts.overpaid.heading, values) : texts.paid.heading
  const overpaidLead = facts.invoice ? texts.invoice.overpaidLead : texts.overpaid.lead
  const lead = fill(isTooMuch ? overpaidLead : texts.paid.lead, values)
  const receiptUrl = facts.payment?.receiptUrl
  const back = html`<span>${fill(texts.paid.back, { shop })}</span>`
  return html`${strip(scene, { at: 'paid', tone: 'good', shape: 'good' })}
<div class="body">
${endingHead({ tone: 'good', seal: 'good', heading, lead })}
${isTooMuch && note({ tone: 'info', title: fill(texts.overpaid.want, values), text: fill(contact ? texts.overpaid.wantHint : texts.overpaid.wantHintPlain, values) })}
${actions([
  successUrl &&
    html`<a class="button button--primary button--large" href="${successUrl}" rel="noreferrer" data-testid="return-to-shop">${back}</a>`,
  invoiceLink(scene, html` class="button button--primary button--large"`),
  receiptUrl &&
    html`<a class="button button--large" href="${receiptUrl}${scene.query.replace('?', '&')}" data-testid="receipt">${texts.paid.receipt}</a>`,
])}
${strayNotes(scene, strays)}
${factList([
  isTooMuch && [texts.overpaid.due, expected.text, 'num'],
  [texts.paid.received, amount.text, isTooMuch ? 'num' : 'sum'],
  isTooMuch && [texts.overpaid.excess, excess.text, 'sum'],
  [texts.paid.network, network.network],
  txHash !== null && [texts.paid.transaction, transactionLink(txHash, network.explorerUrl)],
  completedAt !== null && [texts.paid.completed, fullTime(completedAt, facts.locale)],
  sentBack(scene),
  facts.payment && [texts.frame.paymentNumber, shortId(facts.payment.id)],
])}
</div>`
}

/** What the merchant has refunded, in the currency of the order. */
const sentBack = ({ facts, texts }: CheckoutScene): Fact | false => {
  const { payment, locale } = facts
  if (!payment || payment.payment.context.amountRefundedMinor === 0) return false
  const { amountRefundedMinor, currency } = payment.payment.context
  return [texts.paid.sentBack, moneyOf(amountRefundedMinor, currency, locale), 'num']
}

/** Money that has arrived besides. */
const strayNotes = ({ texts, facts }: CheckoutScene, strays: ExpiredView['strays']): readonly (Html | null)[] =>
  strays.map(stray => {
    const amount = strayText(stray)
    if (amount === null || stray.network === null) return null
    const title = fill(texts.stray.also, { amount, network: stray.network })
    return note({
      tone: 'warn',
      icon: icons.warning,
      title,
      text: fill(texts.stray.alsoHint, { shop: shopName(facts.shop) }),
    })
  })

/** With the way to a new payment, as long as the link is open. */
export const expiredStep = (scene: CheckoutScene, { ended, hadAddress, strays }: ExpiredView): Html => {
  const { texts, facts } = scene
  const lead = !hadAddress ? texts.expired.leadUnpicked : facts.isOpen ? texts.expired.lead : texts.expired.leadClosed
  const contact = contactLink(scene)
  const sentHint = contact ? texts.expired.sentHint : texts.expired.sentHintPlain
  return html`${strip(scene, { at: 'send', word: texts.strip.timeIsUp, tone: 'bad', shape: 'cross' })}
<div class="body">
${endingHead({ tone: 'bad', seal: 'clock', heading: texts.expired.heading, lead: fill(lead, { time: clockTime(ended, facts.now, facts.locale) }) })}
${actions([facts.isOpen && againButton(scene, texts.expired.again)])}
${strayNotes(scene, strays)}
${hadAddress && note({ tone: 'quiet', title: texts.expired.sentTitle, text: fill(sentHint, { contact: contact ?? '', shop: shopName(facts.shop) }) })}
${paymentNumber(scene)}
</div>`
}

export const lateStep = (scene: CheckoutScene, view: LateView): Html => {
  const { texts, facts } = scene
  const { amount, network, ended, isPriceLate, arrivedAt, txHash } = view
  const { locale, now } = facts
  const sentence = arrivedAt === null ? texts.late.leadPlain : isPriceLate ? texts.late.leadPrice : texts.late.lead
  const lead = fill(sentence, {
    amount: amount.text,
    time: arrivedAt && clockTime(arrivedAt, now, locale),
    delay: arrivedAt && delayText(texts.late, arrivedAt.getTime() - ended.getTime()),
  })
  const shop = shopName(facts.shop)
  const back = sentBack(scene)
  return html`${strip(scene, { at: 'confirm', word: texts.strip.late, tone: 'warn', shape: 'diamond' })}
<div class="body">
${endingHead({ tone: 'warn', seal: 'late', heading: texts.late.heading, lead })}
${
  back
    ? note({ tone: 'good', title: texts.late.sentBack, text: fill(texts.late.sentBackHint, { shop, amount: back[1] }) })
    : note({ tone: 'warn', title: texts.late.next, text: fill(texts.late.nextHint, { shop }) })
}
${actions([contactButton(scene, texts.frame.contact)])}
${factList([
  [texts.late.arrived, amount.text, 'sum'],
  [texts.late.timeWasUp, fullTime(ended, locale)],
  arrivedAt !== null && [texts.late.moneyCame, fullTime(arrivedAt, locale)],
  txHash !== null && [texts.paid.transaction, transactionLink(txHash, network.explorerUrl)],
  facts.payment && [texts.frame.paymentNumber, shortId(facts.payment.id)],
])}
</div>`
}

const delayText = (texts: CheckoutScene['texts']['late'], ms: number): string => {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return texts.lessThanMinute
  const say = (one: string, many: string, count: number) => (count === 1 ? one : fillText(many, { count }))
  if (minutes < 120) return say(texts.minute, texts.minutes, minutes)
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? say(texts.hour, texts.hours, hours) : say(texts.day, texts.days, Math.floor(hours / 24))
}

export const failedStep = (scene: CheckoutScene, view: FailedView): Html => {
  const { texts, facts } = scene
  const { reason, network, denomination, received, expected, txHash } = view
  const words = texts.failed.reasons[reason]
  const { asset } = denomination
  const values = { shop: shopName(facts.shop), network: network.network, native: network.native, asset }
  const hasArrived = reason === 'underpaid'
  const sentence = facts.invoice && hasArrived ? texts.invoice.underpaidLead : words.lead
  const lead = fill(sentence, { ...values, due: expected.text, amount: received.text, expected: expected.text })
  const why = denomination.isNative ? texts.failed.revertedWhyNative : texts.failed.revertedWhyHint
  return html`${strip(scene, { at: 'confirm', word: texts.strip.failed, tone: 'bad', shape: 'cross' })}
<div class="body">
${endingHead({ tone: 'bad', seal: 'cross', heading: words.heading, lead })}
${actions([facts.isOpen && againButton(scene, facts.invoice && hasArrived ? texts.invoice.payRest : texts.failed.again), (hasArrived || !facts.isOpen) && contactButton(scene, texts.frame.contact)])}
${strayNotes(scene, view.strays)}
${factList([
  [texts.failed.reason, words.reason],
  hasArrived && [texts.failed.arrived, received.text, 'num'],
  hasArrived && [texts.failed.due, expected.text, 'num'],
  sentBack(scene),
  txHash !== null && [texts.failed.transaction, transactionLink(txHash, network.explorerUrl)],
  facts.payment && [texts.frame.paymentNumber, shortId(facts.payment.id)],
])}
${reason === 'reverted' && note({ tone: 'quiet', title: texts.failed.revertedWhy, text: fill(why, values) })}
</div>`
}

export const canceledStep = (scene: CheckoutScene): Html => {
  const { texts, facts } = scene
  const shop = shopName(facts.shop)
  return html`${strip(scene, { at: 'send', word: texts.strip.canceled, tone: 'quiet', shape: 'dash' })}
<div class="body">
${endingHead({ tone: 'quiet', seal: 'dash', heading: fill(texts.canceled.heading, { shop }), lead: texts.canceled.lead })}
${actions([contactButton(scene, texts.frame.contact)])}
${strayNotes(scene, facts.payment?.strays ?? [])}
${note({ tone: 'quiet', title: texts.canceled.sentTitle, text: fill(texts.canceled.sentHint, { shop }) })}
${paymentNumber(scene)}
</div>`
}

export const closedStep = (scene: CheckoutScene, { because }: Extract<CheckoutView, { status: 'closed' }>): Html => {
  const { texts, facts } = scene
  const leads = {
    deactivated: texts.closed.lead,
    completed: texts.closed.leadCompleted,
    expired: texts.closed.leadExpired,
    taken: texts.closed.leadTaken,
    settled: facts.invoice?.isCredited ? texts.invoice.settledCreditedLead : texts.invoice.settledLead,
    void: texts.invoice.voidLead,
  }
  const headings = {
    taken: texts.closed.headingTaken,
    settled: texts.invoice.settledHeading,
    void: fill(texts.invoice.voidHeading, { number: html`<bdi>${facts.invoice?.number}</bdi>` }),
    ...{ deactivated: texts.closed.heading, completed: texts.closed.heading, expired: texts.closed.heading },
  }
  const lead = fill(leads[because], { shop: shopName(facts.shop) })
  const wasOpen = because === 'taken' || because === 'settled' || because === 'void'
  return html`<div class="body">
${endingHead({ tone: 'quiet', seal: 'lock', heading: headings[because], lead })}
${actions([contactButton(scene, facts.invoice ? texts.frame.contact : texts.closed.ask)])}
${wasOpen && note({ tone: 'quiet', title: texts.canceled.sentTitle, text: fill(facts.invoice ? texts.invoice.sentHint : texts.canceled.sentHint, { shop: shopName(facts.shop) }) })}
${wasOpen && paymentNumber(scene)}
</div>`
}

export const unavailableStep = (
  scene: CheckoutScene,
  { because, since }: Extract<CheckoutView, { status: 'unavailable' }>,
): Html => {
  const { texts, facts, path, query } = scene
  const shop = shopName(facts.shop)
  const words = texts.unavailable
  const [heading, lead] = {
    networks: [words.heading, since ? words.leadSince : words.lead],
    prices: [words.headingPrice, words.leadPrice],
    setup: [words.headingSetup, words.leadSetup],
  }[because] as [string, string]
  const time = since && clockTime(since, facts.now, facts.locale)
  return html`${strip(scene, { at: 'details', word: texts.strip.waiting, tone: 'warn', shape: 'diamond' })}
<div class="body">
${endingHead({ tone: 'warn', seal: 'clock', heading: fill(heading, { shop }), lead: fill(lead, { shop, time }) })}
${actions([html`<a class="button button--large" href="${path}${query}">${texts.unavailable.again}</a>`])}
</div>`
}

/** Undefined `linkPath`: the link or the invoice is not known either. */
export const notFoundStep = (
  { texts, query }: CheckoutScene,
  { linkPath, isOfInvoice = false }: { readonly linkPath?: string | undefined; readonly isOfInvoice?: boolean },
): Html => {
  const lead = isOfInvoice ? texts.invoice.unknownLead : texts.notFound.lead
  const open = isOfInvoice ? texts.invoice.open : texts.notFound.openLink
  return html`<div class="body">
${endingHead({ tone: 'quiet', seal: 'dash', heading: texts.notFound.heading, lead: linkPath === undefined ? lead : texts.notFound.leadPayment })}
${actions([linkPath !== undefined && html`<a class="button button--large" href="${linkPath}${query}">${open}</a>`])}
</div>`
}

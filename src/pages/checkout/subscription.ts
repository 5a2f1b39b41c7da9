import type { Invoice } from '../../../machines/invoice-events.ts'
import { amountDueMinor, processingMinor } from '../../../machines/invoice-rules.ts'
import type { Subscription } from '../../../machines/subscription-events.ts'
import type { Actor } from '../../actors/kind.ts'
import { type DocumentValues, valuesIn } from '../../billing/document/values.ts'
import { checkoutTextsOf } from '../../web/text/checkout/texts.ts'
import type { WholeText } from '../answer.ts'
import { type Html, html } from '../html.ts'
import { icons, type ShapeName, shapes } from '../icons.ts'
import { definePage } from '../layout.ts'
import type { Web } from '../web.ts'
import { brandStyle } from './brand.ts'
import type { CheckoutFacts } from './facts.ts'
import { fill, fillText } from './fill.ts'
import { brandHeader, POLL_S } from './page.ts'
import {
  actions,
  type CheckoutScene,
  contactButton,
  endingHead,
  type Fact,
  factList,
  foot,
  logo,
  note,
  priceOf,
  refreshAfter,
  shopName,
  type Tone,
  testBanner,
} from './parts.ts'
import { everyText } from './plan.ts'

/** `path`: of its page, with its own token. Null for an invoice that has none. */
export type ListedInvoice = {
  readonly invoice: Actor<Invoice>
  readonly path: string | null
  readonly documentPath: string | null
}

/** Times are those of the subscription's customer. Null where there is none. */
export type ShownSubscription = {
  readonly subscription: Actor<Subscription>
  readonly planName: string | null
  readonly period: { readonly start: Date; readonly end: Date } | null
  readonly accessUntil: Date | null
  readonly nextInvoiceAt: Date | null
  readonly nextAmountMinor: number
  /** When an `incomplete` one expires. */
  readonly expiresAt: Date
  /** Newest first. */
  readonly invoices: readonly ListedInvoice[]
  readonly mayCancel: boolean
  readonly mayContinue: boolean
  readonly streamPath: string
  readonly eventId: string
}

/** Without `shown`, the subscription is not known. */
export type SubscriptionFacts = { readonly checkout: CheckoutFacts; readonly shown?: ShownSubscription }

export type SubscriptionPageRequest = {
  readonly path: string
  /** `?lang=de`, if the customer has chosen it. */
  readonly query: string
  /** A form came too late. */
  readonly isRefused?: boolean
}

/** Where the page says what a form has changed: the focus goes there. */
export const ANSWER = 'answer'

type SubscriptionScene = CheckoutScene & ShownSubscription & { readonly values: DocumentValues; readonly state: State }

const states = [
  ...(['incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled', 'expired', 'completed'] as const),
] as const
type State = (typeof states)[number]

const page = definePage({
  ...{ style: 'invoice/invoice.css', inlined: true, script: 'pay/main.ts' },
  ...{ trustedTypes: 'markup', secret: 'address' },
})

export const subscriptionPage = (
  web: Web,
  { checkout, shown }: SubscriptionFacts,
  { path, query, isRefused = false }: SubscriptionPageRequest,
): WholeText => {
  const texts = checkoutTextsOf(checkout.locale)
  const base: CheckoutScene = { facts: checkout, texts, path, query, isRefused }
  if (!shown) return unknownPage(web, base)
  const { context } = shown.subscription
  const state = states.find(each => each === shown.subscription.state) ?? 'incomplete'
  const scene: SubscriptionScene = { ...base, ...shown, values: valuesIn(checkout.locale, context.currency), state }
  const hasEnded = context.endedAt !== null
  const body = html`<a class="skip" href="#main">${texts.subscription.skip}</a>
<div class="banner" role="status" data-banner hidden>${icons.offline}<p></p></div>
${!context.livemode && testBanner(scene)}
<div class="frame">
${head(scene)}
<main class="step" id="main" data-testid="status" data-status="${hasEnded ? 'closed' : 'open'}">
<div class="body invoice">
${statusBadge(scene)}
${isRefused && note({ tone: 'info', title: texts.subscription.refused, text: texts.subscription.refusedHint, more: html` tabindex="-1" autofocus` })}
${step(scene)}
${details(scene)}
${invoiceList(scene)}
${cancelPart(scene)}
</div>
</main>
</div>
${foot(scene)}`
  const title = fillText(texts.subscription.title, { shop: checkout.shop.name })
  return page(web, {
    status: isRefused ? 409 : 200,
    title: context.livemode ? title : fillText(texts.test.title, { title }),
    lang: checkout.locale,
    body,
    bodyClass: 'page',
    bodyData: {
      ...(!hasEnded && {
        ...{ now: checkout.now.toISOString(), texts: JSON.stringify(texts.live) },
        ...{ stream: shown.streamPath, event: shown.eventId },
      }),
      // The address of the form has no page.
      ...(isRefused && { address: path + query }),
    },
    head: html`${state === 'incomplete' && refreshAfter(POLL_S, path + query)}`,
    ...(checkout.shop.accentColor !== null && { ownStyle: brandStyle(checkout.shop.accentColor) }),
  })
}

const head = (scene: SubscriptionScene): Html => {
  const { facts, texts, subscription, planName } = scene
  const { totalMinor: amountMinor, currency, livemode } = subscription.context
  return html`<section class="order order--slim" aria-label="${texts.subscription.order}">
<div class="shop">${logo(facts.shop)}<span class="shop__name">${shopName(facts.shop)}</span></div>
<div class="order__what">
<p class="order__item" dir="auto">${planName ?? fill(texts.subscription.untitled, { shop: shopName(facts.shop) })}</p>
${priceOf(scene, { amountMinor, currency, livemode })}
<p class="order__text">${everyText(texts, subscription.context)}</p>
</div>
</section>`
}

const looks: Readonly<Record<State, readonly [tone: Tone, shape: ShapeName]>> = {
  incomplete: ['info', 'next'],
  trialing: ['info', 'half'],
  active: ['good', 'good'],
  past_due: ['warn', 'diamond'],
  paused: ['quiet', 'dash'],
  canceled: ['quiet', 'dash'],
  expired: ['quiet', 'dash'],
  completed: ['good', 'good'],
}

const statusBadge = ({ texts, state }: SubscriptionScene): Html => {
  const [tone, shape] = looks[state]
  return html`<p class="status"><span class="badge" data-tone="${tone}" data-testid="subscription-status" data-status="${state}">${shapes[shape]}${texts.subscription.statuses[state]}</span></p>`
}

const day = ({ values }: Pick<SubscriptionScene, 'values'>, at: Date | null): string =>
  at === null ? '' : values.date(at.toISOString().slice(0, 10))

/** What the state means, and what to do. */
const step = (scene: SubscriptionScene): Html => {
  const { texts, facts, values, subscription, state } = scene
  const words = texts.subscription
  const { cancelAtPeriodEnd, pauseAtPeriodEnd } = subscription.context
  const date = day(scene, dateOf(scene))
  const payable = payableOf(scene)
  const isProcessing = scene.invoices.some(({ invoice }) => processingMinor(invoice.context) > 0)
  const ends = state === 'trialing' || state === 'active' ? day(scene, scene.accessUntil) : date
  return html`<div class="step__head">
<h1 tabindex="-1"${!cancelAtPeriodEnd && html` id="${ANSWER}"`}>${fill(words.headings[state], { date })}</h1>
<p class="lead">${fill(leadOf(scene), { date, shop: shopName(facts.shop) })}</p>
</div>
${cancelAtPeriodEnd && note({ tone: 'info', icon: icons.clock, title: fill(words.ends, { date: ends }), text: words.endsHint, more: html` tabindex="-1" id="${ANSWER}"` })}
${pauseAtPeriodEnd && note({ tone: 'info', icon: icons.clock, title: fill(words.pauses, { date: ends }), text: words.pausesHint })}
${isProcessing && note({ tone: 'info', icon: icons.clock, title: words.onItsWay, text: words.onItsWayHint, isStatus: true })}
${payable && html`<a class="button button--primary button--large button--wide" href="${payable.path}${scene.query}" data-testid="pay-invoice"><span>${fill(words.pay, { amount: values.money(payable.amountMinor) })}</span></a>`}
${scene.mayContinue && continueForm(scene)}
${actions([(state === 'paused' || subscription.context.endReason === 'unpaid') && contactButton(scene, texts.frame.contact)])}`
}

/** The time that the sentences of a state are about. */
const dateOf = ({ subscription: { context }, state, period, expiresAt }: SubscriptionScene): Date | null => {
  const dates: Readonly<Record<State, Date | null>> = {
    incomplete: expiresAt,
    trialing: context.trialEndsAt,
    active: period?.end ?? null,
    past_due: context.graceEndsAt,
    paused: context.resumesAt,
    canceled: context.endedAt,
    expired: context.endedAt,
    completed: context.endedAt,
  }
  return dates[state]
}

const leadOf = (scene: SubscriptionScene): string => {
  const {
    texts: { subscription: words },
    subscription: { context },
    state,
  } = scene
  if (state === 'active' && (context.cancelAtPeriodEnd || context.pauseAtPeriodEnd)) return words.leads.activeEnding
  if (state === 'active' && payableOf(scene)) return words.leads.activeInvoiced
  if (state === 'past_due' && context.afterGrace === 'pause') return words.leads.past_duePauses
  if (state === 'paused' && context.resumesAt !== null) return words.leads.pausedUntil
  if (state === 'canceled' && context.endReason === 'unpaid') return words.leads.canceledUnpaid
  return words.leads[state]
}

/** The oldest invoice that is to be paid. */
const payableOf = ({ invoices, subscription }: SubscriptionScene) => {
  if (subscription.context.endedAt !== null) return undefined
  return invoices.toReversed().flatMap(({ invoice: { state, context }, path }) => {
    const amountMinor = amountDueMinor(context) - processingMinor(context)
    const isPayable = ['draft', 'open', 'uncollectible'].includes(state) && amountMinor > 0
    return isPayable && path !== null ? [{ path, amountMinor }] : []
  })[0]
}

const details = (scene: SubscriptionScene): Html => {
  const { texts, values, subscription, period, accessUntil, nextInvoiceAt, nextAmountMinor } = scene
  const { totalMinor } = subscription.context
  const words = texts.subscription
  const priceOfPeriod = (minor: number) => `${values.money(minor)} ${everyText(texts, subscription.context)}`
  // On a phone, the line breaks between the days.
  const unbroken = (at: Date) => day(scene, at).replaceAll(' ', '\u00a0')
  const next = nextInvoiceAt && `${day(scene, nextInvoiceAt)} · ${values.money(nextAmountMinor)}`
  return html`<section class="block">
<h2>${words.facts}</h2>
${factList([
  [words.price, priceOfPeriod(totalMinor)],
  nextAmountMinor !== totalMinor && [words.priceNext, priceOfPeriod(nextAmountMinor)],
  period !== null && [words.period, fill(words.span, { from: unbroken(period.start), to: unbroken(period.end) })],
  accessUntil === null ? [words.accessLabel, words.noAccess] : [words.access, day(scene, accessUntil)],
  next !== null && ([words.nextInvoice, next] satisfies Fact),
])}
</section>`
}

const invoiceList = (scene: SubscriptionScene): Html => {
  const { texts, invoices } = scene
  return html`<section class="block">
<h2>${texts.subscription.invoices}</h2>
${
  invoices.length === 0
    ? html`<p class="quiet">${texts.subscription.noInvoices}</p>`
    : html`<ul class="items" data-testid="invoices">${invoices.map(each => invoiceItem(scene, each))}</ul>`
}
</section>`
}

const invoiceItem = (scene: SubscriptionScene, { invoice, path, documentPath }: ListedInvoice): Html => {
  const { texts, values, query } = scene
  const { number, totalMinor, dueDate, periodStart, periodEnd, overdue } = invoice.context
  const { statuses } = texts.invoice
  const word =
    invoice.state === 'paid'
      ? statuses.paid
      : invoice.state === 'void'
        ? statuses.void
        : overdue
          ? statuses.overdue
          : statuses.open
  const name = html`<bdi>${number ?? texts.subscription.firstInvoice}</bdi>`
  const span =
    periodStart &&
    periodEnd &&
    fillText(texts.subscription.span, { from: day(scene, periodStart), to: day(scene, periodEnd) })
  const due =
    invoice.state === 'open' && dueDate !== null && fillText(texts.invoice.dueBy, { date: values.date(dueDate) })
  const parts = [word, due, span].filter(part => part)
  return html`<li data-status="${invoice.state}"><p class="items__name">${path === null ? name : html`<a href="${path}${query}">${name}</a>`}</p><b class="items__sum">${values.money(totalMinor)}</b><p class="items__more">${parts.join(' · ')}</p>${documentPath !== null && html`<p class="items__more"><a href="${documentPath}" type="application/pdf" data-testid="document">${texts.subscription.document}<span class="sr"> ${fill(texts.subscription.documentOf, { number })}</span></a></p>`}</li>`
}

/** Folded: the button in it is the confirmation. */
const cancelPart = ({ texts, path, query, mayCancel, state }: SubscriptionScene): Html | undefined => {
  if (!mayCancel) return undefined
  const words = texts.subscription
  const isNow = state === 'past_due' || state === 'paused'
  return html`<details class="fold">
<summary>${icons.turn}${words.cancel}</summary>
<form class="form" method="post" action="${path}/cancel${query}">
<p><b>${words.cancelQuestion}</b> ${isNow ? words.cancelLateHint : words.cancelHint}</p>
<button class="button button--large" data-testid="cancel-subscription">${words.cancelConfirm}</button>
</form>
</details>`
}

const continueForm = ({ texts, path, query }: SubscriptionScene): Html =>
  html`<form class="form" method="post" action="${path}/continue${query}"><button class="button button--large button--wide" data-testid="continue-subscription">${texts.subscription.undo}</button></form>`

const unknownPage = (web: Web, scene: CheckoutScene): WholeText => {
  const { unknown: heading, unknownLead: lead, unknownTitle: title } = scene.texts.subscription
  const body = html`<div class="frame">
${brandHeader()}
<main class="step" id="main" data-testid="status" data-status="not_found"><div class="body">${endingHead({ tone: 'quiet', seal: 'dash', heading, lead })}</div></main>
</div>
${foot({ ...scene, path: '' })}`
  return page(web, { status: 404, title, lang: scene.facts.locale, body, bodyClass: 'page' })
}

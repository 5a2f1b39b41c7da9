import { encodeId } from '../../ids.ts'
import { checkoutTextsOf } from '../../web/text/checkout/texts.ts'
import type { WholeText } from '../answer.ts'
import { type Html, html } from '../html.ts'
import { brandMark, icons } from '../icons.ts'
import { definePage } from '../layout.ts'
import { moneyOf } from '../money.ts'
import type { Web } from '../web.ts'
import { brandStyle } from './brand.ts'
import {
  canceledStep,
  closedStep,
  expiredStep,
  failedStep,
  lateStep,
  notFoundStep,
  paidStep,
  seenStep,
  unavailableStep,
} from './endings.ts'
import type { CheckoutFacts } from './facts.ts'
import { fill } from './fill.ts'
import { openStep, type RefusedForm } from './open.ts'
import { type CheckoutScene, endingHead, foot, invoiceLink, order, refreshAfter, testBanner, titleOf } from './parts.ts'
import { type PayOptions, payStep, priceExpiredStep, REFRESH_S } from './pay.ts'
import { type CheckoutStatus, type CheckoutView, checkoutView } from './view.ts'

/** What a page depends on besides the facts. */
export type CheckoutRequest = Omit<PayOptions, 'refused'> & {
  /** The path of the page, which is that of a payment as soon as there is one. */
  readonly path: string
  /** `?lang=de`, if the customer has chosen it. */
  readonly query: string
  readonly refused?: RefusedForm | undefined
  /** The path of the link or the invoice, for a payment that this browser must not see. */
  readonly linkPath?: string | undefined
  /** The address of the page contains the token of an invoice. */
  readonly isOfInvoice?: boolean
}

const kind = { style: 'pay/pay.css', inlined: true, script: 'pay/main.ts', trustedTypes: 'markup' } as const
const page = definePage({ ...kind, secret: true })
const invoicePaymentPage = definePage({ ...kind, secret: 'address' })

export const checkoutPage = (web: Web, facts: CheckoutFacts, request: CheckoutRequest): WholeText => {
  const { locale, shop, link, payment, now } = facts
  const texts = checkoutTextsOf(locale)
  const { path, query, refused } = request
  const scene: CheckoutScene = { facts, texts, path, query, isRefused: refused !== undefined }
  const view = checkoutView(facts)
  const isTest = link?.context.livemode === false
  const isSlim = !['open', 'closed', 'unavailable'].includes(view.status)
  const refresh = REFRESHES[view.status]
  const body = html`<a class="skip" href="#main">${texts.frame.skip}</a>
<div class="banner" role="status" data-banner hidden>${icons.offline}<p></p></div>
${isTest && testBanner(scene)}
<div class="frame">
${order(scene, isSlim) ?? brandHeader()}
<main class="step" id="main" data-testid="status" data-status="${view.status}">
${stepOf(scene, view, request)}
${facts.invoice ? !isPaid(view) && html`<p class="another small">${invoiceLink(scene)}</p>` : LED_TO.has(view.status) && anotherPayment(scene)}
</main>
</div>
${foot(scene)}`
  const render = request.isOfInvoice || facts.invoice ? invoicePaymentPage : page
  return render(web, {
    status: statusOf(view, payment, request.refused),
    title: titleIn(scene, view),
    lang: locale,
    body,
    bodyClass: 'page',
    bodyData: {
      ...(isLive(view, payment) && { now: now.toISOString(), texts: JSON.stringify(texts.live) }),
      ...(payment && isLive(view, payment) && { stream: `${request.path}/stream`, event: payment.eventId }),
      ...(isPolled(facts, view) && { poll: String(POLL_S) }),
      ...changesAt(view),
    },
    head: html`${refresh !== undefined && refreshAfter(refresh, `${request.path}${request.query}`)}`,
    ...(shop.accentColor !== null && { ownStyle: brandStyle(shop.accentColor) }),
  })
}

export const brandHeader = (): Html =>
  html`<header class="order"><span class="brand">${brandMark}paymachine</span></header>`

const stepOf = (scene: CheckoutScene, view: CheckoutView, request: CheckoutRequest): Html => {
  const options = { ...request, refused: request.refused }
  switch (view.status) {
    case 'open':
      return openStep(scene, view, request.refused)
    case 'pay':
    case 'underpaid':
    case 'wrong_asset':
    case 'wrong_chain':
      return payStep(scene, view, options)
    case 'price_expired':
      return priceExpiredStep(scene, view, options)
    case 'seen':
      return seenStep(scene, view)
    case 'paid':
    case 'overpaid':
      return paidStep(scene, view)
    case 'expired':
      return expiredStep(scene, view)
    case 'late':
      return lateStep(scene, view)
    case 'failed':
      return failedStep(scene, view)
    case 'canceled':
      return canceledStep(scene)
    case 'closed':
      return closedStep(scene, view)
    case 'unavailable':
      return unavailableStep(scene, view)
    case 'not_found':
      return notFoundStep(scene, request)
  }
}

/** Seconds between reloads without JavaScript. Pages that cannot change are not reloaded, nor is a form. */
const REFRESHES: Readonly<Partial<Record<CheckoutStatus, number>>> = {
  ...{ pay: REFRESH_S, underpaid: REFRESH_S, wrong_asset: REFRESH_S, wrong_chain: REFRESH_S },
  ...{ seen: 3, unavailable: REFRESH_S, expired: 60, late: 60, failed: 60 },
}

/** Seconds between reloads of a page that has no event stream. */
export const POLL_S = 10

/** Whether a payment in this state is followed by the event stream: money may still arrive after the end. */
const isLive = ({ status }: CheckoutView, payment: CheckoutFacts['payment']): boolean =>
  status !== 'not_found' && (status !== 'closed' || payment !== null)

/** What the stream of a payment does not report: a network that is back, and others who pay a limited link. */
const isPolled = ({ link, payment }: CheckoutFacts, { status }: CheckoutView): boolean =>
  status === 'unavailable' ||
  (payment !== null && link?.context.maxPayments !== null && (status === 'pay' || status === 'closed'))

const isPaid = ({ status }: CheckoutView): boolean => status === 'paid' || status === 'overpaid'

/** The states in which a customer who comes back to the link is led to the payment. */
const LED_TO: ReadonlySet<CheckoutStatus> = new Set([
  ...(['open', 'pay', 'underpaid', 'wrong_asset', 'wrong_chain', 'price_expired', 'seen'] as const),
])

/** The way to another payment of the same link, such as for another e-mail address. */
const anotherPayment = ({ facts, texts, query }: CheckoutScene): Html | undefined => {
  const { payment, link, isOpen } = facts
  if (!payment || !link || !isOpen) return undefined
  const href = `/pay/${encodeId('plink', link.id)}?another=1${query.replace('?', '&')}`
  const forEmail = fill(texts.pay.forEmail, { email: html`<bdi>${payment.payment.context.customerEmail}</bdi>` })
  return html`<p class="another small quiet">${forEmail} <a href="${href}" data-testid="another">${texts.pay.another}</a></p>`
}

/** When the page changes without an event. */
const changesAt = (view: CheckoutView) =>
  'ends' in view && view.due !== null ? { changes: view.ends.toISOString() } : {}

const statusOf = (view: CheckoutView, payment: CheckoutFacts['payment'], refused: RefusedForm | undefined): number => {
  if (view.status === 'not_found') return 404
  if (view.status === 'closed' && (!payment || view.because === 'void')) return 410
  return refused ? (refused.errors.email === undefined && refused.errors.name === undefined ? 422 : 400) : 200
}

const titleIn = (scene: CheckoutScene, view: CheckoutView): string => {
  const { texts, facts } = scene
  const { link } = facts
  switch (view.status) {
    case 'open': {
      const price = link ? moneyOf(link.context.amountMinor, link.context.currency, facts.locale) : ''
      return titleOf(scene, texts.open.title, { price })
    }
    case 'pay':
    case 'underpaid':
    case 'wrong_asset':
    case 'wrong_chain':
      return payTitle(scene, view)
    case 'price_expired':
      return titleOf(scene, texts.priceExpired.title)
    case 'paid':
    case 'overpaid':
      return titleOf(scene, texts.paid.title)
    case 'not_found':
      return texts.notFound.title
    default:
      return titleOf(scene, texts[view.status].title)
  }
}

const payTitle = (scene: CheckoutScene, view: Extract<CheckoutView, { ends: Date }>): string => {
  const { texts } = scene
  const { due, stray, status } = view
  if (due === null) return titleOf(scene, texts.expired.title)
  const values = { due: due.amount.text, network: due.network.network, dueAsset: due.denomination.asset }
  if (status === 'underpaid') return titleOf(scene, texts.underpaid.title, values)
  if (status === 'pay') return titleOf(scene, texts.pay.title, values)
  const isNamed = status === 'wrong_asset' && stray && stray.asset !== null
  return titleOf(scene, isNamed ? texts.stray.title : texts.stray.titleChain, { ...values, asset: stray?.asset ?? '' })
}

/** The answer to a form that another site has sent. Nothing of the payment is shown. */
export const refusedPage = (web: Web, facts: CheckoutFacts, path: string): WholeText => {
  const texts = checkoutTextsOf(facts.locale)
  const scene: CheckoutScene = { facts, texts, path, query: '' }
  const { foreignTitle, foreign, foreignLead } = texts.refused
  const body = html`<div class="frame">
${brandHeader()}
<main class="step" id="main"><div class="body">${endingHead({ tone: 'bad', seal: 'cross', heading: foreign, lead: foreignLead })}</div></main>
</div>
${foot(scene)}`
  return page(web, { status: 403, title: foreignTitle, lang: facts.locale, body, bodyClass: 'page' })
}

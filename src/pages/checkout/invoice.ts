import { amountDueMinor, processingMinor } from '../../../machines/invoice-rules.ts'
import { valuesIn } from '../../billing/document/values.ts'
import { checkoutTextsOf } from '../../web/text/checkout/texts.ts'
import type { WholeText } from '../answer.ts'
import { type Html, html } from '../html.ts'
import { icons, shapes } from '../icons.ts'
import { definePage } from '../layout.ts'
import type { Web } from '../web.ts'
import { brandStyle } from './brand.ts'
import { choiceList } from './choices.ts'
import { unavailableStep } from './endings.ts'
import { fill, fillText } from './fill.ts'
import { creditNoteList, invoiceDetails, isOwed } from './invoice-details.ts'
import type {
  BegunPayment,
  InvoiceFacts,
  InvoicePageRequest,
  InvoiceScene,
  ListedRefund,
  RefusedInvoiceForm,
} from './invoice-scene.ts'
import { clockTime } from './moments.ts'
import { windowText } from './open.ts'
import { brandHeader, POLL_S } from './page.ts'
import {
  actions,
  type CheckoutScene,
  contactButton,
  endingHead,
  foot,
  invoiceName,
  logo,
  note,
  priceOf,
  refreshAfter,
  shopName,
  strip,
  testBanner,
} from './parts.ts'
import { type CheckoutView, checkoutView } from './view.ts'

const page = definePage({
  ...{ style: 'invoice/invoice.css', inlined: true, script: 'pay/main.ts' },
  ...{ trustedTypes: 'markup', secret: 'address' },
})

export const invoicePage = (web: Web, { checkout, shown }: InvoiceFacts, request: InvoicePageRequest): WholeText => {
  const texts = checkoutTextsOf(checkout.locale)
  const { path, query, refused } = request
  const scene: CheckoutScene = { facts: checkout, texts, path, query, isRefused: typeof refused === 'object' }
  if (!shown) return unknownPage(web, scene)
  const { locale, shop, now } = checkout
  const { context, state } = shown.invoice
  const whole: InvoiceScene = { ...scene, ...shown, values: valuesIn(locale, context.currency) }
  const view = viewOf(whole)
  const isVoid = view.status === 'closed'
  const refresh = REFRESHES[view.status]
  const body = html`<a class="skip" href="#main">${texts.invoice.skip}</a>
<div class="banner" role="status" data-banner hidden>${icons.offline}<p></p></div>
${!context.livemode && testBanner(scene)}
<div class="frame">
${invoiceHead(whole)}
<main class="step" id="main" data-testid="status" data-status="${view.status}">
${stepOf(whole, view, refused)}
${!isVoid && invoiceDetails(whole)}
</main>
</div>
${foot(scene)}`
  return page(web, {
    status: isVoid ? 410 : refused === undefined ? 200 : refused === 'nothing_due' ? 409 : 422,
    title: titleIn(whole, state),
    lang: locale,
    body,
    bodyClass: 'page',
    bodyData: {
      ...(!isVoid && {
        ...{
          now: now.toISOString(),
          texts: JSON.stringify(texts.live),
          stream: shown.streamPath,
          event: shown.eventId,
        },
        ...(view.status === 'unavailable' && { poll: String(POLL_S) }),
        ...(shown.begun && { changes: shown.begun.ends.toISOString() }),
      }),
    },
    head: html`${refresh !== undefined && refreshAfter(refresh, path + query)}`,
    ...(shop.accentColor !== null && { ownStyle: brandStyle(shop.accentColor) }),
  })
}

/** Seconds between reloads without JavaScript. A form is not reloaded. */
const REFRESHES: Readonly<Partial<Record<InvoiceView['status'], number>>> = { seen: 5, unavailable: 10 }

/** `seen`: other payments are about to pay all that is due. */
type InvoiceView =
  | { readonly status: 'closed' | 'paid' | 'overpaid' | 'seen' }
  | Extract<CheckoutView, { status: 'open' | 'unavailable' }>

/** What the customer still has as credit of the money that was too much. */
const excessMinor = ({ invoice: { context }, creditMinor }: Pick<InvoiceScene, 'invoice' | 'creditMinor'>): number => {
  const givenMinor = context.allocations.reduce((sum, each) => sum + each.overpaidMinor - each.takenBackMinor, 0)
  return Math.max(0, Math.min(givenMinor, creditMinor))
}

const viewOf = (scene: InvoiceScene): InvoiceView => {
  const {
    invoice: { state },
    facts,
  } = scene
  if (state === 'void') return { status: 'closed' }
  if (state === 'paid') return { status: excessMinor(scene) > 0 ? 'overpaid' : 'paid' }
  if (facts.invoice?.payableMinor === 0) return { status: 'seen' }
  const view = checkoutView(facts)
  return view.status === 'open' || view.status === 'unavailable'
    ? view
    : { status: 'unavailable', because: 'setup', since: null }
}

const titleIn = (
  { texts: { invoice, test, open }, facts, isRefused, ...scene }: InvoiceScene,
  state: string,
): string => {
  const { number, livemode } = scene.invoice.context
  const issued = state === 'void' ? invoice.titleVoid : state === 'paid' ? invoice.titlePaid : invoice.title
  const sentence = number === null ? invoice.titleFirst : issued
  const plain = fillText(sentence, { number: number ?? '', shop: facts.shop.name })
  const title = isRefused ? fillText(open.errorTitle, { title: plain }) : plain
  return livemode ? title : fillText(test.title, { title })
}

/** In the place of the order of a checkout. */
const invoiceHead = (scene: InvoiceScene): Html => {
  const { facts, texts, invoice } = scene
  const { number, totalMinor: amountMinor, currency, livemode, seller } = invoice.context
  const name = invoiceName(texts, html`<bdi data-testid="invoice-number">${number}</bdi>`, number)
  return html`<section class="order order--slim" aria-label="${texts.invoice.order}">
<div class="shop">${logo(facts.shop)}<span class="shop__name">${shopName(facts.shop)}</span></div>
<div class="order__what">
<p class="order__item">${name}</p>
${priceOf(scene, { amountMinor, currency, livemode })}
${seller?.legalName && html`<p class="order__text" dir="auto">${seller.legalName}</p>`}
</div>
</section>`
}

const statusBadge = ({ texts, invoice: { state, context } }: InvoiceScene): Html => {
  const { statuses } = texts.invoice
  const [word, tone, shape] =
    state === 'paid'
      ? [statuses.paid, 'good', shapes.good]
      : state === 'void'
        ? [statuses.void, 'quiet', shapes.dash]
        : context.overdue
          ? [statuses.overdue, 'warn', shapes.diamond]
          : context.amountPaidMinor > 0
            ? [statuses.partlyPaid, 'info', shapes.half]
            : [statuses.open, 'info', shapes.next]
  return html`<p class="status"><span class="badge" data-tone="${tone}" data-testid="invoice-status" data-status="${state}" data-overdue="${String(context.overdue)}">${shape}${word}</span></p>`
}

const stepOf = (scene: InvoiceScene, view: InvoiceView, refused: RefusedInvoiceForm | undefined): Html => {
  switch (view.status) {
    case 'closed':
      return voidStep(scene)
    case 'paid':
    case 'overpaid':
      return paidStep(scene)
    case 'seen':
      return seenStep(scene, refused)
    case 'open':
      return payStep(scene, view, refused)
    case 'unavailable':
      return html`${unavailableStep(scene, view)}
<div class="body">${statusBadge(scene)}${documentLink(scene)}</div>`
  }
}

const documentLink = ({ texts, invoice, documentPath }: InvoiceScene, contact?: Html): Html =>
  actions([
    // A draft that can be paid has no document yet.
    invoice.state !== 'draft' &&
      html`<a class="button${contact && ' button--large'}" href="${documentPath}" type="application/pdf" data-testid="document">${icons.document}<span>${texts.invoice.document}</span></a>`,
    contact,
  ]) ?? html``

const voidStep = (scene: InvoiceScene): Html => {
  const { texts, facts, invoice, creditNotes, values } = scene
  const { number, voidReason } = invoice.context
  const shop = shopName(facts.shop)
  // Voiding the invoice has issued it.
  const last = creditNotes.at(-1)
  const words = { number: html`<bdi>${number}</bdi>`, shop, date: last && values.date(last.issueDate) }
  const excess = excessMinor(scene)
  const credited = { shop, excess: values.money(excess) }
  const heading = fill(texts.invoice.voidHeading, words)
  const lead = fill(last ? texts.invoice.voidLeadOn : texts.invoice.voidLead, words)
  return html`<div class="body invoice">
${statusBadge(scene)}
${endingHead({ tone: 'quiet', seal: 'dash', heading, lead })}
${excess > 0 && note({ tone: 'info', title: fill(texts.invoice.excess, credited), text: fill(texts.invoice.voidExcessHint, credited) })}
${voidReason !== null && html`<section class="block"><h2>${fill(texts.invoice.voidReason, { shop })}</h2><p class="invoice__notes" dir="auto" data-testid="void-reason">${voidReason}</p></section>`}
${creditNoteList(scene)}
${documentLink(scene, contactButton(scene, texts.frame.contact))}
</div>`
}

const paidStep = (scene: InvoiceScene): Html => {
  const { texts, facts, values, invoice, creditNotes } = scene
  const { amountPaidMinor, creditAppliedMinor } = invoice.context
  const shop = shopName(facts.shop)
  const excess = excessMinor(scene)
  const byCredit = amountPaidMinor === 0 && creditAppliedMinor > 0
  const owed = creditNotes.flatMap(({ refunds }) => refunds.filter(isOwed))
  const { paidByCredit, paidAndOwed, paidLead } = texts.invoice
  const lead = fill(byCredit ? paidByCredit : owed.length > 0 ? paidAndOwed : paidLead, { shop })
  const words = { shop, excess: values.money(excess) }
  return html`${strip(scene, { at: 'paid', tone: 'good', shape: 'good' })}
<div class="body">
${statusBadge(scene)}
${endingHead({ tone: 'good', seal: 'good', heading: texts.paid.heading, lead })}
${excess > 0 && note({ tone: 'info', title: fill(texts.invoice.excess, words), text: fill(texts.invoice.excessHint, words) })}
${owed.length > 0 && owedNote(scene, owed)}
${documentLink(scene)}
</div>`
}

/** What the customer gets back, and what is needed for it. */
const owedNote = ({ texts, facts, values }: InvoiceScene, owed: readonly ListedRefund[]): Html => {
  const amount = values.money(owed.reduce((sum, { amountMinor }) => sum + amountMinor, 0))
  const isAsked = owed.some(({ state }) => state === 'requires_destination')
  const hint = isAsked ? texts.invoice.owedAddress : texts.invoice.owedHint
  return html`<div data-testid="to-be-refunded">${note({ tone: 'info', icon: icons.clock, title: fill(texts.invoice.owed, { amount }), text: fill(hint, { shop: shopName(facts.shop) }) })}</div>`
}

const seenStep = (scene: InvoiceScene, refused: RefusedInvoiceForm | undefined): Html => {
  const { texts, values, invoice } = scene
  const amount = values.money(processingMinor(invoice.context))
  return html`${strip(scene, { at: 'confirm' })}
<div class="body">
${statusBadge(scene)}
<div class="step__head">
<h1 tabindex="-1">${texts.invoice.seenHeading}</h1>
<p class="lead">${fill(texts.invoice.seenLead, { amount })}</p>
</div>
${refused !== undefined && note({ tone: 'info', title: texts.invoice.nothingDue, text: texts.invoice.nothingDueHint, isStatus: true })}
${documentLink(scene)}
</div>`
}

const payStep = (
  scene: InvoiceScene,
  view: Extract<InvoiceView, { status: 'open' }>,
  refused: RefusedInvoiceForm | undefined,
): Html => {
  const { texts, values, begun, invoice } = scene
  const amountMinor = processingMinor(invoice.context)
  const error = typeof refused === 'object' ? refused.errors.page : undefined
  return html`${strip(scene, { at: 'details' })}
<div class="body">
${statusBadge(scene)}
${dueHead(scene)}
${error !== undefined && html`<div data-testid="error">${note({ tone: 'bad', icon: icons.warning, title: error, text: '', isStatus: true })}</div>`}
${amountMinor > 0 && note({ tone: 'info', icon: icons.clock, title: fill(texts.invoice.onItsWay, { amount: values.money(amountMinor) }), text: texts.invoice.onItsWayHint, isStatus: true })}
${begun ? begunPart(scene, begun) : payForm(scene, view, refused)}
${documentLink(scene)}
</div>`
}

/** What is due, as the largest thing of the page. */
const dueHead = ({ texts: { invoice: words }, values, facts, invoice }: InvoiceScene): Html => {
  const { overdue, dueDate, totalMinor } = invoice.context
  const isRest = amountDueMinor(invoice.context) < totalMinor
  const issued = overdue ? (isRest ? words.restSince : words.dueSince) : isRest ? words.rest : words.dueBy
  // A draft that can be paid may get its date when it is issued.
  const sentence = dueDate === null ? words.dueNow : issued
  const sum = values.money(facts.invoice?.payableMinor ?? 0)
  return html`<div class="due${sum.length > 16 && ' due--long'}"><h1 tabindex="-1"><span class="due__when">${fill(sentence, { date: dueDate === null ? '' : values.date(dueDate) })}</span> <span class="due__sum">${sum}</span></h1></div>`
}

const payForm = (
  scene: InvoiceScene,
  view: Extract<InvoiceView, { status: 'open' }>,
  refused: RefusedInvoiceForm | undefined,
): Html => {
  const { texts, facts, values, path, query } = scene
  const { asset, errors } = typeof refused === 'object' ? refused : {}
  const amount = values.money(facts.invoice?.payableMinor ?? 0)
  return html`<form class="form" method="post" action="${path}${query}" novalidate>
${choiceList(scene, { choices: view.choices, chosen: asset, error: errors?.asset })}
<div class="submit">
<button class="button button--primary button--large button--wide" data-testid="pay-invoice">${fill(texts.invoice.pay, { amount })}</button>
<p>${fill(texts.open.next, { window: windowText(scene) })}</p>
</div>
</form>`
}

const begunPart = ({ texts, facts, values, query }: InvoiceScene, { path, amountMinor, ends }: BegunPayment): Html => {
  const words = { amount: values.money(amountMinor), time: clockTime(ends, facts.now, facts.locale) }
  return html`${note({ tone: 'info', icon: icons.clock, title: texts.invoice.begun, text: fill(texts.invoice.begunHint, words) })}
<a class="button button--primary button--large button--wide" href="${path}${query}" data-testid="pay-invoice"><span>${texts.invoice.goOn}</span></a>`
}

const unknownPage = (web: Web, scene: CheckoutScene): WholeText => {
  const { unknown: heading, unknownLead: lead, unknownTitle: title } = scene.texts.invoice
  const body = html`<div class="frame">
${brandHeader()}
<main class="step" id="main" data-testid="status" data-status="not_found"><div class="body">${endingHead({ tone: 'quiet', seal: 'dash', heading, lead })}</div></main>
</div>
${foot({ ...scene, path: '' })}`
  return page(web, { status: 404, title, lang: scene.facts.locale, body, bodyClass: 'page' })
}

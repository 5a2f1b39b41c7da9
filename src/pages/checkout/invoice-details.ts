import type { InvoiceLine } from '../../../machines/invoice-events.ts'
import { amountDueMinor, processingMinor } from '../../../machines/invoice-rules.ts'
import { sellerLines } from '../../billing/document/party.ts'
import { namedSums, remarkOfLine, taxNotesOf } from '../../billing/document/wording.ts'
import { type Html, html } from '../html.ts'
import { icons, shapes } from '../icons.ts'
import { fill, fillText } from './fill.ts'
import type { InvoiceScene, ListedCreditNote, ListedRefund, ReceivedPayment } from './invoice-scene.ts'
import { fullTime } from './moments.ts'
import { type Fact, factList, transactionLink } from './parts.ts'

/** More lines than these are folded. */
const SHOWN = 8

/** The invoice itself, below what is to do. It uses the words of the document. */
export const invoiceDetails = (scene: InvoiceScene): Html => html`<div class="body invoice">
${payments(scene)}
${creditNoteList(scene)}
${items(scene)}
${sums(scene)}
${about(scene)}
</div>`

const items = (scene: InvoiceScene): Html => {
  const { texts, invoice } = scene
  const rows = invoice.context.lines.map(line => item(scene, line))
  return html`<section class="block">
<h2>${texts.invoice.items}</h2>
${foldedList(rows, texts.invoice.more, 'items')}
</section>`
}

const foldedList = (rows: readonly Html[], sentence: string, name: string): Html => {
  // One folded row would take the place of the fold.
  const shown = rows.length === SHOWN + 1 ? rows.length : SHOWN
  const more = rows.slice(shown)
  return html`<ul class="items" data-testid="${name}">${rows.slice(0, shown)}</ul>
${
  more.length > 0 &&
  html`<details class="fold" data-testid="more-${name}"><summary>${icons.turn}${fill(sentence, { count: more.length })}</summary>
<ul class="items">${more}</ul></details>`
}`
}

const item = ({ texts, values }: InvoiceScene, line: InvoiceLine): Html => {
  const { description, quantity, unitAmountMinor, amountMinor, taxRateBps, taxCategory } = line
  const price = `${values.quantity(quantity)}\u00a0×\u00a0${values.money(unitAmountMinor)}`
  const tax = taxCategory === 'standard' && fillText(texts.invoice.tax, { rate: values.rate(taxRateBps) })
  const remark = remarkOfLine(values, line)
  const parts = [quantity !== '1' && price, tax].filter(part => part !== false)
  return html`<li><p class="items__name" dir="auto">${description}</p><b class="items__sum">${values.money(amountMinor)}</b>${[parts.join(' · '), remark].map(text => text !== '' && html`<p class="items__more">${text}</p>`)}</li>`
}

const sums = ({ texts, invoice, values }: InvoiceScene): Html => {
  const { money, texts: words } = values
  const { context } = invoice
  const row = (name: string, amountMinor: number, kind: 'num' | 'sum' = 'num'): Fact => [name, money(amountMinor), kind]
  const unless0 = (name: string, amountMinor: number): Fact | false => amountMinor !== 0 && row(name, amountMinor)
  const due = amountDueMinor(context)
  return html`<section class="block">
<h2>${texts.invoice.sums}</h2>
${factList([
  ...namedSums(values, context).map(([name, amountMinor]) => row(name, amountMinor)),
  row(words.total, context.totalMinor, 'sum'),
  unless0(words.creditApplied, -context.creditAppliedMinor),
  unless0(words.creditNotes, -context.creditNotesMinor),
  unless0(words.paid, -context.amountPaidMinor),
  unless0(texts.invoice.processing, -processingMinor(context)),
  row(words.due, Math.max(0, due - processingMinor(context)), 'sum'),
])}
${taxNotesOf(values, context).map(text => html`<p class="small quiet invoice__note" dir="auto">${text}</p>`)}
</section>`
}

/** What has arrived, oldest first, and what is on its way. */
const payments = (scene: InvoiceScene): Html | undefined => {
  const { texts, payments: all, invoice } = scene
  const { allocations } = invoice.context
  if (all.length === 0) return undefined
  const arrived = allocations.toSorted((a, b) => a.at.localeCompare(b.at))
  const paymentOf = (id: string) => all.find(each => each.id === id)
  const underWay = all.filter(({ state }) => state === 'processing')
  return html`<section class="block">
<h2>${texts.invoice.payments}</h2>
<ul class="items" data-testid="payments">
${arrived.map(allocation => arrivedItem(scene, allocation, paymentOf(allocation.paymentId)))}
${underWay.map(payment => underWayItem(scene, payment))}
</ul>
</section>`
}

/** Newest first, as the latest one may have changed what is due. */
export const creditNoteList = (scene: InvoiceScene): Html | undefined => {
  const { texts, creditNotes } = scene
  if (creditNotes.length === 0) return undefined
  const rows = creditNotes.toReversed().map(each => creditNoteItem(scene, each))
  return html`<section class="block">
<h2>${texts.invoice.creditNotes}</h2>
${foldedList(rows, texts.invoice.moreCreditNotes, 'credit-notes')}
</section>`
}

/** A refund of a credit note that was not sent yet. */
export const isOwed = ({ state }: ListedRefund): boolean => state !== 'processed' && state !== 'canceled'

const creditNoteItem = ({ texts, values, invoice }: InvoiceScene, note: ListedCreditNote): Html => {
  const isErased = invoice.context.customerErased
  const { number, issueDate, totalMinor, dueReducedMinor, creditMinor, refunds, documentPath } = note
  const words = { number: html`<bdi>${number}</bdi>`, date: values.date(issueDate) }
  const sumOf = (some: readonly ListedRefund[]) => some.reduce((sum, { amountMinor }) => sum + amountMinor, 0)
  const canceled = refunds.filter(({ state }) => state === 'canceled')
  const parts = [
    [values.texts.dueReduced, dueReducedMinor],
    // The customer of a refund that was canceled has its amount as credit.
    [values.texts.toCredit, creditMinor + (isErased ? 0 : sumOf(canceled))],
    [values.texts.toBeRefunded, sumOf(refunds.filter(isOwed))],
  ] as const
  const settled: readonly (string | Html)[] = [
    ...parts.flatMap(([name, amountMinor]) => (amountMinor > 0 ? [`${name}: ${values.money(amountMinor)}`] : [])),
    ...refunds
      .filter(({ state }) => state === 'processed')
      .map(({ amountMinor, txHash, explorerUrl }) => {
        const sent = `${texts.invoice.refunded}: ${values.money(amountMinor)}`
        return txHash === null ? sent : html`${sent} · ${transactionLink(txHash, explorerUrl)}`
      }),
  ]
  return html`<li><p class="items__name">${fill(texts.invoice.creditNoteOf, words)}</p><b class="items__sum">${values.money(totalMinor)}</b>${settled.map(text => html`<p class="items__more">${text}</p>`)}<p class="items__more"><a href="${documentPath}" type="application/pdf" data-testid="credit-note">${fill(texts.invoice.creditNoteDocument, words)}</a></p></li>`
}

type Allocation = InvoiceScene['invoice']['context']['allocations'][number]

const arrivedItem = (
  { texts, facts, values, query }: InvoiceScene,
  { amountMinor, overpaidMinor, excessMinor, refundedMinor, at }: Allocation,
  payment: ReceivedPayment | undefined,
): Html => {
  const amount = values.money(amountMinor + overpaidMinor + excessMinor)
  const words = fill(texts.invoice.paidOn, { time: fullTime(new Date(at), facts.locale) })
  const receipt = payment?.receiptUrl
  return html`<li><p class="items__name">${words}</p><b class="items__sum">${amount}</b>${
    receipt &&
    html`<p class="items__more"><a href="${receipt}${query.replace('?', '&')}" data-testid="receipt">${fill(texts.invoice.receipt, { amount })}</a></p>`
  }${refundedMinor > 0 && html`<p class="items__more">${fill(texts.invoice.sentBack, { amount: values.money(refundedMinor) })}</p>`}</li>`
}

const underWayItem = ({ texts, values, invoice }: InvoiceScene, { id, amountMinor }: ReceivedPayment): Html => {
  const before = invoice.context.allocations.find(({ paymentId }) => paymentId === id)?.amountMinor ?? 0
  return html`<li data-testid="processing"><p class="items__name"><span class="badge" data-tone="info">${shapes.half}${texts.invoice.confirming}</span></p><b class="items__sum">${values.money(amountMinor - before)}</b></li>`
}

const noParty = { company: null, name: null, email: null, taxId: null }

/** Who has issued it to whom, and when. */
const about = ({ texts, invoice, values, facts }: InvoiceScene): Html => {
  const { texts: words, date } = values
  const { seller, customer, issueDate, dueDate, orderNumber, notes } = invoice.context
  const [legalName = facts.shop.name, ...address] = sellerLines({
    seller: { legalName: seller?.legalName ?? facts.shop.name, address: seller?.address ?? null, taxId: null },
    customer: { ...noParty, address: customer?.address ?? null },
    locale: facts.locale,
  })
  const from = [legalName, ...address, seller?.taxId && words.taxId(seller.taxId)]
  const to = [customer?.company, customer?.name].filter(each => each)
  return html`<section class="block">
<h2>${texts.invoice.details}</h2>
${factList([
  issueDate !== null && [words.issueDate, date(issueDate)],
  dueDate !== null && [words.dueDate, date(dueDate)],
  [texts.invoice.from, lines(from)],
  customer !== null && [texts.invoice.to, lines(to.length > 0 ? to : [customer.email])],
  orderNumber !== null && [words.orderNumber, html`<bdi>${orderNumber}</bdi>`],
])}
${notes !== null && html`<p class="invoice__notes" dir="auto">${notes}</p>`}
</section>`
}

const lines = (texts: readonly (string | null | undefined | false)[]): Html =>
  html`${texts.filter(text => text).map((text, at) => html`${at > 0 && html`<br>`}<bdi>${text}</bdi>`)}`

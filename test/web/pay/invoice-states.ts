import type { Invoice, InvoiceLine } from '../../../machines/invoice-events.ts'
import { amountDueMinor, processingMinor } from '../../../machines/invoice-rules.ts'
import type { CheckoutFacts, PayOption } from '../../../src/pages/checkout/facts.ts'
import type {
  InvoiceFacts,
  InvoicePageRequest,
  ListedCreditNote,
  ListedRefund,
  ReceivedPayment,
} from '../../../src/pages/checkout/invoice-scene.ts'
import type { CheckoutStatus } from '../../../src/pages/checkout/view.ts'
import { sellerAddress } from '../../http/invoices.ts'
import { invoiceIssue, invoiceOpening } from '../../machines/invoice-cases.ts'
import { checkoutFacts, minutesFromNow, NOW, option, options } from './states.ts'

export type InvoiceState = {
  readonly status: CheckoutStatus
  readonly facts: InvoiceFacts
  readonly refused?: InvoicePageRequest['refused']
}

const line = (description: string, amountMinor: number, more: Partial<InvoiceLine> = {}): InvoiceLine => ({
  ...{ id: description, description, quantity: '1', unitAmountMinor: amountMinor, amountMinor },
  ...{ taxRateBps: 1900, taxCategory: 'standard', taxNote: null, periodStart: null, periodEnd: null },
  ...more,
})

const lines = [
  line('Brass desk lamp with a linen shade', 29_400, { quantity: '6', unitAmountMinor: 4_900 }),
  line('Delivery to Hamburg', 1_500),
  line('Maintenance', 12_000, { periodStart: '2026-11-01', periodEnd: '2026-12-31' }),
]

const open: Invoice = {
  ...{ ...invoiceOpening, ...invoiceIssue, livemode: true, currency: 'USD', lines },
  ...{ subtotalMinor: 42_900, taxMinor: 8_151, totalMinor: 51_051 },
  taxes: [{ taxCategory: 'standard', taxRateBps: 1900, netMinor: 42_900, taxMinor: 8_151 }],
  ...{ number: 'INV-2026-0042', issueDate: '2026-11-20', dueDate: '2026-12-04', orderNumber: 'PO 4711' },
  seller: { legalName: 'Lampen Köln GmbH', address: sellerAddress, taxId: 'DE123456789' },
  customer: {
    ...{ email: 'anna@example.com', name: 'Anna Example', company: 'Example Ltd', taxId: null, address: null },
    locale: null,
  },
  notes: 'Thank you for your order.\nPlease keep this invoice for two years.',
  ...{ paymentLinkId: checkoutFacts().link?.id ?? null, tokenHash: 'a'.repeat(64), sealedToken: 'sealed' },
  ...{ creditAppliedMinor: 0, creditNotesMinor: 0, amountPaidMinor: 0, amountProcessingMinor: 0n },
  ...{ amountOverpaidMinor: 0, amountRefundedMinor: 0, uncreditedRefundsMinor: 0, allocations: [], overdue: false },
  ...{ customerErased: false, creditNoteIds: [] },
  ...{ duePassed: false, remindersPassed: 0, remindedOffset: null, remindedAt: null },
  ...{ paidAt: null, voidedAt: null, voidReason: null },
}

type Shown = {
  readonly of?: Partial<Invoice>
  readonly state?: string
  readonly payments?: readonly ReceivedPayment[]
  readonly creditNotes?: readonly ListedCreditNote[]
  readonly isBegun?: boolean
  /** The credit that the customer has now. */
  readonly creditMinor?: number
  readonly checkout?: Partial<CheckoutFacts>
  readonly refused?: InvoicePageRequest['refused']
}

const PATH = '/invoices/token'

/** The options of the other states are for 49.00. */
const priced = (each: PayOption, minor: number): PayOption => ({
  ...each,
  amount: each.amount && (each.amount * BigInt(minor)) / 4_900n,
})

const of = (
  status: CheckoutStatus,
  {
    of: more,
    state = 'open',
    payments = [],
    creditNotes = [],
    isBegun = false,
    creditMinor = 1_000_000,
    checkout,
    refused,
  }: Shown = {},
): InvoiceState => {
  const context = { ...open, ...more }
  const payableMinor = state === 'open' || state === 'draft' ? amountDueMinor(context) - processingMinor(context) : 0
  const facts = checkoutFacts()
  const link = facts.link && { ...facts.link, context: { ...facts.link.context, amountMinor: payableMinor } }
  return {
    status,
    refused,
    facts: {
      checkout: {
        ...{ ...facts, link: payableMinor > 0 ? link : undefined, isOpen: payableMinor > 0 },
        invoice: {
          number: context.number ?? '',
          path: PATH,
          isVoid: state === 'void',
          rev: 3,
          payableMinor,
          isCredited: false,
        },
        ...checkout,
        options: payableMinor > 0 ? (checkout?.options ?? options).map(each => priced(each, payableMinor)) : [],
      },
      shown: {
        invoice: {
          ...{ id: '0193a000-0000-7000-8000-0000000000f1', kind: 'invoice', state, rev: 3, context },
          ...{ createdAt: minutesFromNow(-60), updatedAt: minutesFromNow(-60) },
        },
        ...{ payments, creditNotes, creditMinor },
        begun: isBegun ? { path: `${PATH}/pay_1`, amountMinor: payableMinor, ends: minutesFromNow(24) } : undefined,
        ...{ streamPath: `/v1/checkout${PATH}/stream`, documentPath: `/v1/checkout${PATH}/document`, eventId: '3' },
      },
    },
  }
}

const creditNote = (sequence: number, totalMinor: number, more: Partial<ListedCreditNote> = {}): ListedCreditNote => ({
  ...{ number: `CN-2026-${String(sequence).padStart(4, '0')}`, issueDate: '2026-11-26', totalMinor },
  ...{ dueReducedMinor: totalMinor, creditMinor: 0, refunds: [] },
  documentPath: `/v1/checkout${PATH}/credit-notes/cn_${sequence}/document`,
  ...more,
})

const refund = (state: string, amountMinor: number): ListedRefund => ({
  ...{ state, amountMinor, explorerUrl: 'https://basescan.org' },
  txHash: state === 'processed' ? `0x${'3e'.repeat(32)}` : null,
})

const refundedBy = (...refunds: readonly ListedRefund[]): Shown => ({
  ...paid(),
  creditNotes: [creditNote(3, 6_000, { dueReducedMinor: 0, creditMinor: 1_000, refunds })],
})

const [FIRST, SECOND] = ['0193a000-0000-7000-8000-0000000000a1', '0193a000-0000-7000-8000-0000000000a2']

const received = (id: string, state: string, amountMinor: number): ReceivedPayment => ({
  ...{ id, state, amountMinor },
  receiptUrl: state === 'success' ? '/receipts/pay_1?s=token' : null,
})

const allocation = (paymentId: string, amountMinor: number, more: Partial<Invoice['allocations'][number]> = {}) => ({
  ...{
    paymentId,
    amountMinor,
    overpaidMinor: 0,
    takenBackMinor: 0,
    excessMinor: 0,
    refundedMinor: 0,
    creditedMinor: 0,
    noteRefundsMinor: 0,
    noteCreditMinor: 0,
    refundedFirstMinor: 0,
  },
  at: new Date(NOW.getTime() - 86_400_000).toISOString(),
  ...more,
})

const partly: Shown = {
  of: { amountPaidMinor: 20_000, allocations: [allocation(FIRST, 20_000)] },
  payments: [received(FIRST, 'failed', 51_051)],
}
const processing = {
  of: { ...partly.of, amountProcessingMinor: 31_051n },
  payments: [received(FIRST, 'failed', 51_051), received(SECOND, 'processing', 31_051)],
}
const paid = (overpaidMinor = 0, more: Partial<Invoice> = {}): Shown => ({
  state: 'paid',
  of: {
    ...{ amountPaidMinor: 51_051, amountOverpaidMinor: overpaidMinor, paidAt: NOW },
    allocations: [allocation(FIRST, 20_000), allocation(SECOND, 31_051, { overpaidMinor, at: NOW.toISOString() })],
    ...more,
  },
  payments: [received(FIRST, 'failed', 51_051), received(SECOND, 'success', 31_051)],
})

const many = Array.from({ length: 100 }, (_, at) =>
  line(`Item ${at + 1} of a hundred, with a name that does not fit on one line of a phone`, 1_000 + at),
)
const manyMinor = many.reduce((sum, { amountMinor }) => sum + amountMinor, 0)

const trouble = new Map([8453, 137, 1].map(id => [id, { since: minutesFromNow(-3) }]))

/** Every state of the page of an invoice. */
export const invoiceStates: Readonly<Record<string, InvoiceState>> = {
  'invoice-open': of('open'),
  'invoice-draft': of('open', {
    state: 'draft',
    of: { number: null, issueDate: null, dueDate: null, seller: null, customer: null, orderNumber: null },
  }),
  'invoice-german': of('open', { checkout: { locale: 'de' } }),
  'invoice-test': of('open', {
    of: { livemode: false, number: 'TEST-INV-2026-0042' },
    checkout: { options: [option(31337, 'Sandbox', 'TUSD', 1)] },
  }),
  'invoice-begun': of('open', { isBegun: true }),
  'invoice-error': of('open', { refused: { errors: { asset: 'asset' } } }),
  'invoice-overdue': of('open', { of: { overdue: true, dueDate: '2026-11-10', issueDate: '2026-10-27' } }),
  'invoice-partly-paid': of('open', partly),
  'invoice-partly-processing': of('open', { ...processing, of: { ...processing.of, amountProcessingMinor: 20_000n } }),
  'invoice-processing': of('seen', processing),
  'invoice-nothing-due': of('seen', { ...processing, refused: 'nothing_due' }),
  'invoice-paid': of('paid', paid()),
  'invoice-overpaid': of('overpaid', paid(200)),
  'invoice-paid-credit': of('paid', {
    state: 'paid',
    of: { creditAppliedMinor: 51_051, paidAt: NOW, paymentLinkId: null },
  }),
  'invoice-refunded': of('paid', {
    ...paid(),
    of: {
      ...paid().of,
      ...{ amountPaidMinor: 41_051, creditNotesMinor: 5_000, creditAppliedMinor: 5_000 },
      allocations: [allocation(FIRST, 41_051, { refundedMinor: 1_000 })],
    },
    payments: [received(FIRST, 'success', 41_051)],
    creditNotes: [
      creditNote(3, 6_000, { dueReducedMinor: 4_000, creditMinor: 1_000, refunds: [refund('processed', 1_000)] }),
      creditNote(4, 1_000),
    ],
  }),
  'invoice-to-be-refunded': of('paid', refundedBy(refund('requires_destination', 5_000))),
  'invoice-being-refunded': of('paid', refundedBy(refund('processed', 2_000), refund('processing', 3_000))),
  'invoice-refund-canceled': of('paid', refundedBy(refund('canceled', 5_000))),
  'invoice-credit-spent': of('paid', { ...paid(200), creditMinor: 0 }),
  'invoice-credited': of('open', { of: { creditNotesMinor: 5_000 }, creditNotes: [creditNote(3, 5_000)] }),
  'invoice-50-credit-notes': of('open', {
    of: { creditNotesMinor: 5_000 },
    creditNotes: Array.from({ length: 50 }, (_, at) => creditNote(at + 1, 100)),
  }),
  'invoice-100-lines': of('open', {
    of: {
      ...{ lines: many, subtotalMinor: manyMinor, taxMinor: 0, totalMinor: manyMinor, taxBehavior: 'inclusive' },
      taxes: [{ taxCategory: 'standard', taxRateBps: 1900, netMinor: manyMinor, taxMinor: 0 }],
    },
  }),
  'invoice-largest': of('open', {
    of: {
      lines: [
        line('L'.repeat(300), Number.MAX_SAFE_INTEGER, {
          ...{ taxRateBps: 0, taxCategory: 'reverse_charge', taxNote: 'T'.repeat(200), quantity: '999999.999999' },
        }),
      ],
      taxes: [{ taxCategory: 'reverse_charge', taxRateBps: 0, netMinor: Number.MAX_SAFE_INTEGER, taxMinor: 0 }],
      ...{ subtotalMinor: Number.MAX_SAFE_INTEGER, taxMinor: 0, totalMinor: Number.MAX_SAFE_INTEGER },
      ...{ number: 'A-VERY-LONG-PREFIX-OF-INVOICES-2026-0000000042', orderNumber: 'N'.repeat(200) },
      notes: 'W'.repeat(2_000),
    },
    checkout: { options: [option(8453, 'Base', 'USDC', 1)] },
  }),
  'invoice-rtl': of('open', {
    of: {
      lines: [line('מנורת שולחן מפליז, אהיל פשתן', 42_900, { quantity: '3', unitAmountMinor: 14_300 })],
      seller: { legalName: 'מנורות ואורות בע״מ', address: null, taxId: null },
      notes: 'תודה על ההזמנה. נשלח תוך שלושה ימים.',
    },
  }),
  'invoice-brand': of('open', {
    checkout: { shop: { ...checkoutFacts().shop, name: 'Żółta Lampa', logoUrl: null, accentColor: '#ffcc00' } },
  }),
  'invoice-failed-chain': of('unavailable', { checkout: { troubles: trouble } }),
  'invoice-chain-trouble': of('open', { checkout: { troubles: new Map([[8453, { since: minutesFromNow(-3) }]]) } }),
  'invoice-void': of('closed', {
    state: 'void',
    of: { creditNotesMinor: 51_051, voidedAt: NOW },
    creditNotes: [creditNote(3, 51_051)],
  }),
  'invoice-void-reason': of('closed', {
    state: 'void',
    of: {
      ...{ creditNotesMinor: 51_051, voidedAt: NOW, voidReason: 'You have ordered the lamps twice.' },
      allocations: [allocation(FIRST, 0, { overpaidMinor: 2_500 })],
    },
    creditNotes: [creditNote(3, 1_051), creditNote(12, 50_000)],
  }),
  'invoice-void-largest': of('closed', {
    state: 'void',
    of: {
      ...{ creditNotesMinor: Number.MAX_SAFE_INTEGER, totalMinor: Number.MAX_SAFE_INTEGER, voidedAt: NOW },
      ...{ voidReason: 'R'.repeat(1_000), number: 'A-VERY-LONG-PREFIX-OF-INVOICES-2026-0000000042' },
    },
    creditNotes: [
      creditNote(3, Number.MAX_SAFE_INTEGER, { number: 'A-VERY-LONG-PREFIX-OF-CREDIT-NOTES-2026-0000000042' }),
    ],
  }),
  'invoice-not-found': {
    status: 'not_found',
    facts: { checkout: checkoutFacts({ link: undefined }) },
  },
}

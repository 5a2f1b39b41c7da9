import { type Type, type } from 'arktype'
import type {
  Allocation,
  Invoice,
  InvoiceLine,
  InvoiceParty,
  InvoiceSeller,
  InvoiceTax,
  Reminder,
} from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import { example, exampleId } from '../fields/examples.ts'
import { postalAddress } from '../fields/postal-address.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { count, idOf, minor, signedMinor, text, textOrNull, time, timeOrNull } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import { invoiceRecord } from '../kinds/invoice-record.ts'

/** What a response adds to an invoice. */
export type InvoiceAdditions = {
  /** Null for callers that may not see it. */
  readonly url: string | null
  /** Whether the party of an erased customer is shown, which owners may see. */
  readonly showsErasedParty?: boolean
}

const taxCategory = (): Type<InvoiceLine['taxCategory']> =>
  type("'standard' | 'zero' | 'exempt' | 'reverse_charge' | 'export' | 'outside'")

const taxRate = {
  taxRateBps: {
    type: count,
    about: 'Tax rate in hundredths of a percent: 1900 is 19 %.',
    example: 1900,
    of: ({ taxRateBps }: Pick<InvoiceTax, 'taxRateBps' | 'taxCategory'>) => taxRateBps,
  },
  taxCategory: {
    type: taxCategory,
    about: 'Why this rate applies. Only `standard` has a rate above 0.',
    example: 'standard' as const,
    of: ({ taxCategory }: Pick<InvoiceTax, 'taxRateBps' | 'taxCategory'>) => taxCategory,
  },
}

type Sold = Omit<InvoiceLine, 'id' | 'quantity' | 'unitAmountMinor'>

/** Of a line of an invoice, and of what is credited of it. */
export const soldFields = {
  ...taxRate,
  taxNote: {
    type: textOrNull,
    about: 'Legal reason for a reverse charge or an exemption. Null if not set.',
    example: null,
    of: ({ taxNote }: Sold) => taxNote,
  },
  periodStart: {
    type: textOrNull,
    about: 'First day or time of the period that the line is about. Null if not set.',
    example: null,
    of: ({ periodStart }: Sold) => periodStart,
  },
  periodEnd: {
    type: textOrNull,
    about: 'Last day or time of the period that the line is about. Null if not set.',
    example: null,
    of: ({ periodEnd }: Sold) => periodEnd,
  },
}

export const invoiceLine = groupOf<InvoiceLine>()({
  id: { type: text, about: 'ID of the line, unique within the invoice.', example: 'line_1', of: ({ id }) => id },
  description: { type: text, about: 'What is sold.', example: 'A lamp', of: ({ description }) => description },
  quantity: {
    type: text,
    about: 'Quantity, as a decimal string with at most 6 decimal places.',
    example: '1',
    of: ({ quantity }) => quantity,
  },
  unitAmountMinor: {
    type: signedMinor,
    about: 'Amount of one unit, in the minor unit of the currency. Negative for a discount.',
    example: 4900,
    of: ({ unitAmountMinor }) => unitAmountMinor,
  },
  amountMinor: {
    type: signedMinor,
    about: 'Quantity × unit amount, rounded half away from zero. Contains the tax if `taxBehavior` is `inclusive`.',
    example: 4900,
    of: ({ amountMinor }) => amountMinor,
  },
  ...soldFields,
})

export const invoiceLineFields = invoiceLine.fields

export const invoiceTax = groupOf<InvoiceTax>()({
  ...{ taxCategory: taxRate.taxCategory, taxRateBps: taxRate.taxRateBps },
  netMinor: {
    type: signedMinor,
    about: 'Sum of the lines with this category and rate without tax, in the minor unit of the currency.',
    example: 4900,
    of: ({ netMinor }) => netMinor,
  },
  taxMinor: {
    type: signedMinor,
    about: 'Tax on this sum, in the minor unit of the currency.',
    example: 931,
    of: ({ taxMinor }) => taxMinor,
  },
})

const allocation = groupOf<Allocation>()({
  paymentId: {
    type: () => idOf('pay'),
    example: exampleId('payment'),
    of: ({ paymentId }) => encodeId('pay', paymentId),
  },
  amountMinor: {
    type: minor,
    about: 'How much the payment has paid of the invoice, in the minor unit of the currency.',
    example: 5831,
    of: ({ amountMinor }) => amountMinor,
  },
  at: { type: time, about: 'Time at which this was last counted.', example: example.later, of: ({ at }) => at },
})

const addressOrNull = {
  inside: postalAddress.inside,
  type: () => postalAddress.type().or('null'),
  about: 'Postal address. Null if not set.',
  example: postalAddress.example,
  of: ({ address }: InvoiceSeller | InvoiceParty) => (address === null ? null : postalAddress.render(address)),
}
const taxId = {
  type: textOrNull,
  about: 'Tax identification number. Null if not set.',
  example: null,
  of: ({ taxId }: InvoiceSeller | InvoiceParty) => taxId,
}

const seller = groupOf<InvoiceSeller>()({
  legalName: {
    type: textOrNull,
    about: 'Your name. Null only in test mode.',
    example: 'Lamps Ltd',
    of: ({ legalName }) => legalName,
  },
  address: addressOrNull,
  taxId,
})

const party = groupOf<InvoiceParty>()({
  email: { type: text, about: 'E-mail address.', example: 'ada@example.com', of: ({ email }) => email },
  name: { type: textOrNull, about: 'Name. Null if not set.', example: 'Ada Example', of: ({ name }) => name },
  company: { type: textOrNull, about: 'Company. Null if not set.', example: null, of: ({ company }) => company },
  taxId,
  address: addressOrNull,
  locale: {
    type: textOrNull,
    about: 'Language of the document, as a BCP 47 tag. Null if not set.',
    example: 'en',
    of: ({ locale }) => locale,
  },
})

const reminder = groupOf<Reminder>()({
  offsetDays: {
    type: () => type('number.integer'),
    about: 'When it is due, in days from the due date.',
    example: 7,
    of: ({ offsetDays }) => offsetDays,
  },
  at: { type: time, about: 'Time at which it is due.', example: '2026-12-11T09:00:00.000Z', of: ({ at }) => at },
  sentAt: {
    type: timeOrNull,
    about: 'Time of its event `invoice.reminder`. Null as long as there is none.',
    example: null,
    of: ({ sentAt }) => sentAt,
  },
})

/** An invoice as in responses. */
export const invoiceReadRecord = recordOf<Actor<Invoice>, InvoiceAdditions>()('InvoiceWithLines', {
  ...invoiceRecord.fields,
  lines: {
    inside: invoiceLine.inside,
    type: () => invoiceLine.type().array(),
    about: 'The lines, in the order in which they were sent.',
    example: [invoiceLine.example],
    of: ({ context }) => context.lines.map(each => invoiceLine.render(each)),
  },
  taxes: {
    inside: invoiceTax.inside,
    type: () => invoiceTax.type().array(),
    about: 'The sums of each tax category and rate, in the order in which they first occur.',
    example: [invoiceTax.example],
    of: ({ context }) => context.taxes.map(each => invoiceTax.render(each)),
  },
  allocations: {
    inside: allocation.inside,
    type: () => allocation.type().array(),
    about: 'What each payment has paid of the invoice. The sum is `amountPaidMinor`.',
    example: [],
    of: ({ context }) => context.allocations.map(each => allocation.render(each)),
  },
  seller: {
    inside: seller.inside,
    type: () => seller.type().or('null'),
    about: 'You, as you were when the invoice was finalized. Null for a draft.',
    example: seller.example,
    of: ({ context }) => (context.seller === null ? null : seller.render(context.seller)),
  },
  customer: {
    inside: party.inside,
    type: () => party.type().or('null'),
    about:
      'The customer as it was when the invoice was finalized. Null for a draft. After the customer was erased: shown to owners on the dashboard until `retainedUntil`, and null for all other callers.',
    example: party.example,
    of: ({ context }, { showsErasedParty = false }) => {
      const { customer, customerErased } = context
      return customer === null || (customerErased && !showsErasedParty) ? null : party.render(customer)
    },
  },
  reminders: {
    inside: reminder.inside,
    type: () => reminder.type().array(),
    about: 'The reminders that were planned when the invoice was finalized.',
    example: [reminder.example],
    of: ({ context }) => context.reminders.map(each => reminder.render(each)),
  },
  daysUntilDue: {
    type: () => type('number.integer').or('null'),
    about: 'Days from the issue date to the due date, as sent. Null if not sent, and if a due date was sent.',
    example: null,
    of: ({ context }) => context.daysUntilDue,
  },
  reminderOffsets: {
    type: () => type('number.integer').array().or('null'),
    about: 'The reminders as sent, in days from the due date. Null takes those of the settings.',
    example: null,
    of: ({ context }) => context.reminderOffsets && [...context.reminderOffsets],
  },
  url: { ...invoiceRecord.fields.url, of: (_, { url }) => url },
})

import type { Customer } from '../../machines/customer.ts'
import type { Actor } from '../actors/kind.ts'
import { example } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { count, currency, minor, text, textOrNull, timeOrNull } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import { customerRecord } from '../kinds/customer-record.ts'
import type { CustomerAdditions, CustomerTotals } from '../queries/customers.ts'

export const noAdditions: CustomerAdditions = { aliases: [], totals: [], survivorId: null }

const totals = groupOf<CustomerTotals>()({
  currency: { type: currency, example: 'EUR', of: ({ currency }) => currency },
  paymentsCount: {
    type: count,
    about: 'Number of successful payments. At most 2 seconds old.',
    example: 3,
    of: ({ paymentsCount }) => paymentsCount,
  },
  volumeMinor: {
    type: minor,
    about: 'Sum of the amounts of the successful payments, in the minor unit of the currency. At most 2 seconds old.',
    example: 14_700,
    of: ({ volumeMinor }) => volumeMinor,
  },
  refundedMinor: {
    type: minor,
    about: 'Sum of the refunds with status `processed`, in the minor unit of the currency. At most 2 seconds old.',
    example: 0,
    of: ({ refundedMinor }) => refundedMinor,
  },
  openMinor: {
    type: minor,
    about: 'Amount due of all open invoices, in the minor unit of the currency.',
    example: 0,
    of: ({ openMinor }) => openMinor,
  },
  overdueMinor: {
    type: minor,
    about: 'The part of it that is overdue, in the minor unit of the currency.',
    example: 0,
    of: ({ overdueMinor }) => overdueMinor,
  },
  creditMinor: {
    type: minor,
    about: 'Balance of the credit ledger, in the minor unit of the currency.',
    example: 0,
    of: ({ creditMinor }) => creditMinor,
  },
  firstPaymentAt: {
    type: timeOrNull,
    about: 'Time at which the first payment succeeded. Null if none did.',
    example: example.at,
    of: ({ firstPaymentAt }) => firstPaymentAt?.toISOString() ?? null,
  },
  lastPaymentAt: {
    type: timeOrNull,
    about: 'Time at which the last payment succeeded. Null if none did.',
    example: example.later,
    of: ({ lastPaymentAt }) => lastPaymentAt?.toISOString() ?? null,
  },
})

/** A customer as in responses. */
export const customerReadRecord = recordOf<Actor<Customer>, CustomerAdditions>()('CustomerWithTotals', {
  ...customerRecord.fields,
  aliases: {
    type: () => text().array(),
    about: 'Other e-mail addresses by which the customer is found: former ones, and those of merged customers.',
    example: [],
    of: (_, { aliases }) => [...aliases],
  },
  totals: {
    inside: totals.inside,
    type: () => totals.type().array(),
    about:
      'Sums of the payments, one entry for each currency. Currencies are never converted. A sum above 9007199254740991 is given as 9007199254740991.',
    example: [totals.example],
    of: (_, additions) => additions.totals.map(each => totals.render(each)),
  },
  mergedIntoId: {
    ...customerRecord.fields.mergedIntoId,
    type: textOrNull,
    about: 'Customer that this one was merged into, or the one that has taken its place since. Null unless merged.',
    of: (_, { survivorId }) => (survivorId === null ? null : encodeId('cus', survivorId)),
  },
})

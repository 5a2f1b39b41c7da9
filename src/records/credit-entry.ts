import { type } from 'arktype'
import { constantField, idField } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { currency, idOf, minor, signedMinor, textOrNull, time } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import type { CreditEntryRow } from '../queries/credit-entries.ts'

/** An entry of the credit ledger. */
export const creditEntryRecord = recordOf<CreditEntryRow>()('CreditEntry', {
  object: constantField('credit_entry'),
  id: idField('credit_entry', ({ id }) => id),
  customerId: {
    ...idField('customer', (row: CreditEntryRow) => row.customer_id),
    about: 'Customer that the credit belongs to.',
  },
  currency: { type: currency, example: 'EUR', of: ({ currency }) => currency },
  type: {
    type: () => type("'overpayment' | 'credit_note' | 'applied' | 'released' | 'refunded' | 'adjustment'"),
    about:
      'Reason of the entry. `overpayment` and `credit_note` add credit. `applied` pays an invoice with it, and `released` gives it back. `refunded` takes back credit of a payment that was refunded. `adjustment`: you have changed it, or a customer was merged.',
    example: 'adjustment',
    of: row => row.type,
  },
  amountMinor: {
    type: signedMinor,
    about: 'Change of the balance in the minor unit of the currency: positive adds credit.',
    example: 1500,
    of: row => Number(row.amount_minor),
  },
  balanceMinor: {
    type: minor,
    about: 'Balance in this currency after the entry, in the minor unit of the currency.',
    example: 1500,
    of: row => Number(row.balance_minor),
  },
  invoiceId: {
    type: () => idOf('inv').or('null'),
    about: 'Invoice that the entry is about. Null if none.',
    example: null,
    of: row => (row.invoice_id === null ? null : encodeId('inv', row.invoice_id)),
  },
  paymentId: {
    type: () => idOf('pay').or('null'),
    about: 'Payment that the entry is about. Null if none.',
    example: exampleId('payment'),
    of: row => (row.payment_id === null ? null : encodeId('pay', row.payment_id)),
  },
  creditNoteId: {
    type: () => idOf('cn').or('null'),
    about: 'Credit note that the entry is about. Null if none.',
    example: null,
    of: row => (row.credit_note_id === null ? null : encodeId('cn', row.credit_note_id)),
  },
  note: {
    type: textOrNull,
    about: 'Reason that was given for an adjustment. Null if none.',
    example: 'Goodwill for the late delivery',
    of: ({ note }) => note,
  },
  createdAt: { type: time, example: example.at, of: row => row.created_at.toISOString() },
})

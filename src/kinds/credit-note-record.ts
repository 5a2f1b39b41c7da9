import { type } from 'arktype'
import type { CreditNote } from '../../machines/credit-note.ts'
import type { Actor } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { currency, idOf, minor, signedMinor, text, textOrNull, time } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import { lazy } from '../lazy.ts'

export const creditNoteReason = lazy(() =>
  type("'duplicate' | 'requested_by_customer' | 'product_unsatisfactory' | 'order_change' | 'cancellation' | 'other'"),
)

/** A credit note without what could make an event too large. Responses add the rest. */
export const creditNoteRecord = recordOf<Actor<CreditNote>>()('CreditNote', {
  object: constantField('credit_note'),
  id: idField('credit_note', note => note.id),
  merchantId: actorFields.merchantId,
  invoiceId: {
    ...idField('invoice', ({ context }: Actor<CreditNote>) => context.invoiceId),
    about: 'Invoice that the credit note is about.',
  },
  customerId: {
    ...idField('customer', ({ context }: Actor<CreditNote>) => context.customerId),
    about:
      'Customer of the invoice. If that customer was merged, responses name the one that has taken its place; events do not change.',
  },
  number: {
    type: text,
    about: 'Number of the credit note. Credit notes have their own numbers, without gaps. In test mode: `TEST-…`.',
    example: 'TEST-CN-2026-0001',
    of: ({ context }) => context.number,
  },
  reason: {
    type: creditNoteReason,
    about:
      'Reason that was given for the credit note. `cancellation` for the credit note of an invoice that was voided.',
    example: 'product_unsatisfactory',
    of: ({ context }) => context.reason,
  },
  currency: { type: currency, example: 'EUR', of: ({ context }) => context.currency },
  subtotalMinor: {
    type: signedMinor,
    about: 'Sum of the lines without tax, in the minor unit of the currency.',
    example: 4900,
    of: ({ context }) => context.subtotalMinor,
  },
  taxMinor: {
    type: signedMinor,
    about: 'Sum of the tax, in the minor unit of the currency.',
    example: 931,
    of: ({ context }) => context.taxMinor,
  },
  totalMinor: {
    type: minor,
    about: 'What is credited, with tax: the sum of `dueReducedMinor`, `creditMinor` and `refundsMinor`.',
    example: 5831,
    of: ({ context }) => context.totalMinor,
  },
  dueReducedMinor: {
    type: minor,
    about: 'How much it has reduced what was due for the invoice.',
    example: 0,
    of: ({ context }) => context.dueReducedMinor,
  },
  creditMinor: {
    type: minor,
    about: 'How much it has added to the credit of the customer.',
    example: 0,
    of: ({ context }) => context.creditMinor,
  },
  refundsMinor: {
    type: minor,
    about: 'Sum of its refunds.',
    example: 5831,
    of: ({ context }) => context.refundsMinor,
  },
  refundIds: {
    type: () => idOf('re').array(),
    about: 'Refunds that were created with it.',
    example: [exampleId('refund')],
    of: ({ context }) => context.refundIds.map(id => encodeId('re', id)),
  },
  note: {
    type: textOrNull,
    about: 'Text at the end of the document. Null if not set.',
    example: null,
    of: ({ context }) => context.note,
  },
  issuedAt: {
    type: time,
    about: 'Time at which it was issued. Within a series of numbers it never decreases.',
    example: example.at,
    of: ({ context }) => context.issuedAt.toISOString(),
  },
  issueDate: {
    type: text,
    about: 'Day of `issuedAt` in your time zone, as `YYYY-MM-DD`.',
    example: '2026-11-20',
    of: ({ context }) => context.issueDate,
  },
  documentHash: {
    type: text,
    about: 'SHA-256 of the hash of the credit note before it and of what the credit note says, in hexadecimal digits.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    of: ({ context }) => context.documentHash,
  },
  previousDocumentHash: {
    type: textOrNull,
    about: '`documentHash` of the credit note before it in its series of numbers. Null for the first.',
    example: null,
    of: ({ context }) => context.previousDocumentHash,
  },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})

import type { CreditNote, CreditNoteLine } from '../../machines/credit-note.ts'
import type { Actor } from '../actors/kind.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { signedMinor, text, textOrNull } from '../fields/wire.ts'
import { creditNoteRecord } from '../kinds/credit-note-record.ts'
import { invoiceTax, soldFields } from './invoice.ts'

const line = groupOf<CreditNoteLine>()({
  lineId: {
    type: text,
    about: 'ID of the line of the invoice.',
    example: 'line_1',
    of: ({ lineId }) => lineId,
  },
  description: { type: text, about: 'What was sold.', example: 'A lamp', of: ({ description }) => description },
  quantity: {
    type: textOrNull,
    about: 'Quantity that is credited, as a decimal string. Null if an amount of the line is credited.',
    example: '1',
    of: ({ quantity }) => quantity,
  },
  unitAmountMinor: {
    type: () => signedMinor().or('null'),
    about: 'Amount of one unit, in the minor unit of the currency. Null if an amount of the line is credited.',
    example: 4900,
    of: ({ unitAmountMinor }) => unitAmountMinor,
  },
  amountMinor: {
    type: signedMinor,
    about: 'Amount that is credited. Contains the tax if `taxBehavior` of the invoice is `inclusive`.',
    example: 4900,
    of: ({ amountMinor }) => amountMinor,
  },
  ...soldFields,
})

/** A credit note as in responses. */
export const creditNoteReadRecord = recordOf<Actor<CreditNote>>()('CreditNoteWithLines', {
  ...creditNoteRecord.fields,
  lines: {
    inside: line.inside,
    type: () => line.type().array(),
    about: 'What is credited of each line of the invoice.',
    example: [line.example],
    of: ({ context }) => context.lines.map(each => line.render(each)),
  },
  taxes: {
    inside: invoiceTax.inside,
    type: () => invoiceTax.type().array(),
    about: 'The sums of each tax category and rate, with the rates of the invoice.',
    example: [invoiceTax.example],
    of: ({ context }) => context.taxes.map(each => invoiceTax.render(each)),
  },
})

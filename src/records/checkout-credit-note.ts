import type { CreditNote } from '../../machines/credit-note.ts'
import type { Actor } from '../actors/kind.ts'
import { recordOf } from '../fields/record.ts'
import { creditNoteReadRecord } from './credit-note.ts'

const {
  merchantId: _merchant,
  customerId: _customer,
  refundIds: _refunds,
  documentHash: _hash,
  previousDocumentHash: _previousHash,
  ...customersFields
} = creditNoteReadRecord.fields

/** A credit note for its customer, without the private fields of the merchant. */
export const checkoutCreditNoteRecord = recordOf<Actor<CreditNote>>()('CheckoutCreditNote', customersFields)

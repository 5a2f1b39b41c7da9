import { listShape } from '../../fields/shape.ts'
import { creditEntryRecord } from '../../records/credit-entry.ts'
import { customerReadRecord } from '../../records/customer.ts'
import type { Docs } from './docs.ts'

const fields = {
  email:
    'E-mail address. Surrounding spaces are removed. An address that a customer has, also as an alias, is `duplicate_customer`, and `details.customerId` names that customer.',
  address: 'Postal address. `line1`, `city`, `postalCode` and `country` are required.',
  reference:
    'Your own identifier of the customer. If another customer has it, `duplicate_reference` is returned, and `details.customerId` names that customer.',
  testClockId: 'Test clock for the invoices and subscriptions of the customer, in test mode.',
}

export const createCustomerDocs: Docs = {
  operation: 'createCustomer',
  summary: 'Create a customer',
  description:
    'A customer is also created by the first payment of an e-mail address. Payments of this address belong to the customer, whichever came first.',
  answers: { 201: customerReadRecord },
  refusals: [
    'duplicate_customer',
    'duplicate_reference',
    'customer_erased',
    'resource_not_found',
    'idempotency_key_reused',
  ],
  fields,
  example: { email: 'ada@example.com', name: 'Ada Example', reference: 'account 7' },
}

export const listCustomersDocs: Docs = {
  operation: 'listCustomers',
  summary: 'List customers',
  description:
    '`email` finds the customer that has this address, also as an alias. `q` finds customers whose name, company or e-mail address begins with a text. Merged customers are not in the list.',
  answers: { 200: listShape(customerReadRecord) },
}

export const getCustomerDocs: Docs = {
  operation: 'getCustomer',
  summary: 'Retrieve a customer',
  answers: { 200: customerReadRecord },
}

export const updateCustomerDocs: Docs = {
  operation: 'updateCustomer',
  summary: 'Update a customer',
  description:
    'Changes the fields that are sent; `null` removes a value, and `metadata` is replaced as a whole. The former e-mail address becomes an alias: payments of it still belong to the customer.',
  answers: { 200: customerReadRecord },
  // `parameter_missing`: a field of the address.
  refusals: ['parameter_missing', 'duplicate_customer', 'duplicate_reference', 'customer_erased', 'state_conflict'],
  fields,
  example: { email: 'ada@lovelace.example' },
}

export const mergeCustomerDocs: Docs = {
  operation: 'mergeCustomer',
  summary: 'Merge a customer into another one',
  description:
    'Returns the other customer. From then on the payments, credit and e-mail addresses of the first customer count as those of the other one, whose own fields stay as they are. The first customer can still be retrieved, with `mergedIntoId`, and is no longer in lists. This cannot be undone. A repeated request returns the same customer. For owners.',
  answers: { 200: customerReadRecord },
  refusals: ['customer_erased', 'state_conflict'],
  fields: { intoId: 'The customer that remains.' },
  example: { intoId: customerReadRecord.example.id },
}

export const eraseCustomerDocs: Docs = {
  operation: 'eraseCustomer',
  summary: 'Erase the personal data of a customer',
  description:
    'Removes the fields and the metadata of the customer, its e-mail addresses, the e-mail address and name in its payments, and the evidence of disputes. Customers that were merged into it are erased too. Amounts, IDs, hashes, times, and the reference and metadata of payments remain. Stored copies, such as events and responses for idempotency keys, are erased within a minute; then `customer.erased` is sent. Finalized invoices keep the party that they were issued to. Money that arrives later sets `attention` of its payment. This cannot be undone. A repeated request returns the customer. `customer_in_use`: `details.records` names up to 10 payments, refunds and invoices that have not ended, and the customer itself if it has credit. For owners, after a step-up.',
  answers: { 200: customerReadRecord },
  refusals: ['customer_in_use', 'state_conflict', 'step_up_required'],
}

export const listCreditDocs: Docs = {
  operation: 'listCustomerCredit',
  summary: 'List the credit ledger of a customer',
  description: 'Entries never change. Within a currency, `balanceMinor` of the latest entry is the balance.',
  answers: { 200: listShape(creditEntryRecord) },
}

export const adjustCreditDocs: Docs = {
  operation: 'adjustCustomerCredit',
  summary: 'Adjust the credit of a customer',
  description:
    'Adds an entry of the type `adjustment`. The balance is never negative, however many requests change it concurrently. Send an `Idempotency-Key` to retry it safely. For owners.',
  answers: { 201: creditEntryRecord },
  refusals: [
    'credit_exceeds_balance',
    'unsupported_currency',
    'customer_erased',
    'state_conflict',
    'idempotency_key_reused',
  ],
  fields: {
    amountMinor: 'Amount in the minor unit of the currency: positive adds credit, negative takes it away. Not 0.',
    note: 'Reason of the adjustment.',
  },
  example: { currency: 'EUR', amountMinor: 1500, note: 'Goodwill for the late delivery' },
}

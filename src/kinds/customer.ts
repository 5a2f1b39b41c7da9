import { type Customer, customerMachine } from '../../machines/customer.ts'
import type { Kind } from '../actors/kind.ts'
import { encodeId } from '../ids.ts'
import { resources } from '../resources.ts'
import { customerRecord } from './customer-record.ts'
import { published } from './published.ts'

export const customerKind: Kind<Customer> = {
  name: 'customer',
  table: resources.customer.table,
  machine: customerMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    apiVersion: 'text',
    email: 'text',
    name: 'text',
    company: 'text',
    taxId: 'text',
    address: 'json',
    locale: 'text',
    reference: 'text',
    source: 'text',
    testClockId: 'uuid',
    metadata: 'json',
    mergedIntoId: 'uuid',
    erasedAt: 'time',
    erasedBy: 'uuid',
  },
  // Without personal data.
  history: ['source', 'testClockId', 'mergedIntoId'],
  timers: { repetition: (_, at) => new Date(at.getTime() + 60_000) },
  effects: {
    eraseCopies: ({ id }) => ({
      task: 'erase-copies',
      payload: { customerId: id },
      key: `erase-copies:${id}`,
    }),
  },
  writes: {
    eraseRecords: ({ id, context: { erasedBy } }) => ({
      function: 'erase_customer',
      given: { id: encodeId('cus', id), accountId: erasedBy, by: erasedBy === null ? null : encodeId('usr', erasedBy) },
    }),
    moveToSurvivor: ({ context: { mergedIntoId } }) => ({ function: 'merge_customer', given: { into: mergedIntoId } }),
  },
  publish: published(customer => customerRecord.render(customer)),
  refusals: {
    customer_emails_pkey: 'duplicate_customer',
    customers_reference_once: 'duplicate_reference',
    credit_balances_range: 'credit_exceeds_balance',
    customer_in_use: 'customer_in_use',
    customer_remains: 'customer_erased',
  },
}

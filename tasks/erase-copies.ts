import { type } from 'arktype'
import { eraseCopies } from '../src/commands/customer-erasures.ts'
import { task } from '../src/workers/task.ts'

/** Runs after the personal data of a customer was erased from its records, and erases the stored copies of them. */
export const eraseCopiesTask = task(type({ customerId: 'string.uuid' }), (services, { customerId }, { signal }) =>
  eraseCopies(services, customerId, signal),
)

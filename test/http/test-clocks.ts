import type { TestClock } from '../../machines/test-clock.ts'
import type { Actor } from '../../src/actors/kind.ts'
import type { Services } from '../../src/actors/services.ts'
import { createTestClock } from '../../src/commands/test-clocks.ts'
import type { Api } from '../../src/http/api.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { makeCustomer } from './customers.ts'
import { makeInvoice } from './invoices.ts'

/** A clock that shows the present by default. Another time can be further away than a caller's, so that tests can name days. */
export const makeTestClock = (services: Services, owner: ListOwner, now?: Date): Promise<Actor<TestClock>> => {
  const then = now ? { ...services, clock: { ...services.clock, now: () => now } } : services
  return createTestClock(then, owner, now, { cause: 'test', responseRows: () => [] })
}

/** An open invoice of a new customer of the clock. */
export const makeClockInvoice = async (
  api: Api,
  owner: ListOwner,
  testClockId: string,
  fields: Parameters<typeof makeInvoice>[2] = {},
) => {
  const { customer } = await makeCustomer(api, owner, { testClockId })
  return makeInvoice(api, owner, { customerId: customer.id, finalize: true, ...fields })
}

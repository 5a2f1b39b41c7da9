import type { Customer } from '../../machines/customer.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { findCustomer, findShownCustomer, type ShownCustomer } from '../queries/customers.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { refuseState, refuseStateOf } from './state-conflicts.ts'

/**
 * Merges a customer into another one and returns that one, or the one that has taken its place since. A repeated request
 * has no effect.
 */
export const mergeCustomer = async (
  { sql, actors }: Services,
  key: RecordKey,
  intoId: string | undefined,
  cause: string,
): Promise<ShownCustomer> => {
  const customer = (await findCustomer(sql, key)) ?? refuse('resource_not_found')
  const intoKey = { id: intoId ?? '', merchantId: key.merchantId, livemode: customer.context.livemode }
  const into = intoId === undefined ? undefined : await findCustomer(sql, intoKey)
  if (!into) return refuse('resource_not_found', { param: 'intoId' })
  if (isRepeated(customer, into)) return getSurvivor({ sql }, intoKey)
  if (into.context.erasedAt) refuse('customer_erased', { param: 'intoId' })
  const refuseInto = (message?: string) =>
    refuseStateOf(into, { param: 'intoId', ...(message !== undefined && { message }) })
  if (customer.id === into.id) refuseInto()
  if (customer.context.testClockId !== into.context.testClockId)
    refuseInto('Customers of different test clocks cannot be merged.')
  const outcome = await actors.dispatchBundle([
    { kind: 'customer', actor: customer.id, event: { type: 'merge', intoId: into.id }, cause },
    { kind: 'customer', actor: into.id, event: { type: 'absorb' }, cause },
  ])
  if (outcome.ok) return getSurvivor({ sql }, intoKey)
  // The same request may have been executed in parallel.
  const now = await findCustomer(sql, key)
  if (now && isRepeated(now, into)) return getSurvivor({ sql }, intoKey)
  if (outcome.refusal === 'credit_exceeds_balance')
    refuseInto(`Their credit would together be more than ${Number.MAX_SAFE_INTEGER}.`)
  return refuseState(outcome)
}

const isRepeated = ({ context }: Actor<Customer>, into: Actor<Customer>): boolean => context.mergedIntoId === into.id

const getSurvivor = async ({ sql }: Pick<Services, 'sql'>, key: RecordKey): Promise<ShownCustomer> => {
  const shown = (await findShownCustomer(sql, key)) ?? refuse('resource_not_found')
  if (shown.survivorId === null) return shown
  return (await findShownCustomer(sql, { ...key, id: shown.survivorId })) ?? refuse('resource_not_found')
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../actors/services.ts'
import { erasedEmail } from '../email-key.ts'
import { refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import { erasedFields } from '../kinds/erased-fields.ts'
import { actorPagesOf, eraseCopiesOf, findErasingIds, listUses, MOST_REWRITTEN } from '../queries/customer-erasures.ts'
import { findShownCustomer, type ShownCustomer } from '../queries/customers.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { refuseState } from './state-conflicts.ts'

/**
 * Erases the personal data of a customer and of those that were merged into it, in one commit with its payments and their
 * disputes. A job erases the stored copies of these records. A repeated request has no effect.
 */
export const eraseCustomer = async (services: Services, key: RecordKey, accountId: string): Promise<ShownCustomer> => {
  const { sql, actors } = services
  const find = async () => (await findShownCustomer(sql, key)) ?? refuse('resource_not_found')
  const before = await find()
  const { id, context } = before.customer
  if (context.erasedAt) return before
  // Checked again in the commit.
  await refuseUsed(services, id)
  const event = { type: 'erase', email: erasedEmail(encodeId('cus', id)), accountId }
  const outcome = await actors.dispatch({ kind: 'customer', actor: id, event, cause: encodeId('usr', accountId) })
  const after = await find()
  // The same request may have been executed in parallel.
  if (outcome.ok || after.customer.context.erasedAt) return after
  if (outcome.refusal === 'customer_in_use') await refuseUsed(services, id, true)
  return refuseState(outcome)
}

/** `certain`: the commit has found uses. They may have ended since then. */
const refuseUsed = async ({ sql }: Services, customerId: string, certain = false): Promise<void> => {
  const records = await listUses(sql, customerId)
  if (certain || records.length > 0) refuse('customer_in_use', { details: { records } })
}

/** How long a walk through the copies rests while attempts of deliveries are under way. They last up to 20 seconds. */
const REST_MS = 1_000

/**
 * Erases the copies of an erased customer, page by page, until a walk through all of them finds none. Each statement only
 * changes what is not erased yet, so the work can be repeated from the beginning after a crash, and done twice in parallel.
 */
export const eraseCopies = async (services: Services, customerId: string, signal: AbortSignal): Promise<void> => {
  const { sql, actors } = services
  const ids = await findErasingIds(sql, customerId)
  if (ids.length === 0) return
  const fields = erasedFields(erasedEmail(encodeId('cus', customerId)))
  for (let isDone = false; !isDone; ) {
    let found = 0
    let underWay = 0
    for await (const page of actorPagesOf(sql, ids)) {
      for (let isWhole = false; !isWhole; ) {
        // A job that throws is repeated by another process.
        signal.throwIfAborted()
        const erased = await eraseCopiesOf(sql, page, fields)
        found += erased.rewritten
        underWay += erased.underWay
        isWhole = erased.rewritten < MOST_REWRITTEN
      }
    }
    isDone = found + underWay === 0
    if (underWay > 0) await sleep(REST_MS, undefined, { signal })
  }
  const event = { type: 'copies_erased' }
  // A refusal: the same job has finished in another process.
  await actors.dispatch({ kind: 'customer', actor: customerId, event, cause: 'erase-copies' })
}

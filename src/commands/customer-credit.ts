import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { type CreditEntryRow, creditEntryRow, getCreditEntry } from '../queries/credit-entries.ts'
import { findShownCustomer } from '../queries/customers.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { refuseState } from './customers.ts'

type Adjustment = { readonly currency: string; readonly amountMinor: number; readonly note: string }

/** Adds an entry to the ledger of a customer, or of the one that it was merged into. */
export const adjustCredit = async (
  { sql, actors, clock, random }: Services,
  key: RecordKey,
  adjustment: Adjustment,
  cause: string,
): Promise<CreditEntryRow> => {
  const { customer, survivorId } = (await findShownCustomer(sql, key)) ?? refuse('resource_not_found')
  const { merchantId, livemode } = customer.context
  const entry = {
    ...{ id: uuidv7(clock.now(), random), customerId: survivorId ?? customer.id, merchantId, livemode },
    ...{ type: 'adjustment' as const, ...adjustment },
  }
  const outcome = await actors.dispatch({
    kind: 'customer',
    actor: entry.customerId,
    event: { type: 'adjust_credit' },
    cause,
    rows: [creditEntryRow(entry)],
  })
  if (outcome.ok) return getCreditEntry(sql, entry)
  if (outcome.refusal === 'credit_exceeds_balance') refuse('credit_exceeds_balance', { param: 'amountMinor' })
  return refuseState(outcome)
}

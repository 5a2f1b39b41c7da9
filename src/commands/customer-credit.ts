import type { Customer } from '../../machines/customer.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { customerKind } from '../kinds/customer.ts'
import { ofKind } from '../queries/actors.ts'
import { creditEntryRow } from '../queries/credit-entries.ts'
import type { ShownCustomer } from '../queries/customers.ts'
import { type Requester, refuseTwin } from './by.ts'
import { refuseState } from './state-conflicts.ts'

type Adjustment = {
  /** Of the new entry. */
  readonly id: string
  readonly currency: string
  readonly amountMinor: number
  readonly note: string
}

/** The end of an error message, after what becomes credit. */
export const exceedsBalance = `would raise the credit balance of the customer above ${Number.MAX_SAFE_INTEGER}.`

/** Adds an entry to the ledger of a customer, or of the one that it was merged into, and returns that customer. */
export const adjustCredit = async (
  { actors }: Pick<Services, 'actors'>,
  { customer, survivorId }: ShownCustomer,
  adjustment: Adjustment,
  { cause, responseRows }: Requester<Customer>,
): Promise<Actor<Customer>> => {
  const { merchantId, livemode } = customer.context
  const customerId = survivorId ?? customer.id
  const entry = creditEntryRow({ customerId, merchantId, livemode, type: 'adjustment', ...adjustment })
  const outcome = await actors.dispatch({
    kind: 'customer',
    actor: customerId,
    event: { type: 'adjust_credit' },
    cause,
    rows: made => [entry, ...responseRows(ofKind(customerKind, made.at(-1)))],
  })
  if (outcome.ok) return ofKind(customerKind, outcome.actor)
  refuseTwin(outcome)
  if (outcome.refusal === 'credit_exceeds_balance')
    refuse(adjustment.amountMinor < 0 ? 'credit_exceeds_balance' : 'parameter_invalid', {
      param: 'amountMinor',
      ...(adjustment.amountMinor > 0 && { message: `amountMinor ${exceedsBalance}` }),
    })
  return refuseState(outcome)
}

import type { CustomerWithTotals } from '../../api/calls.ts'
import { useShopQuery } from '../shell/queries.ts'
import type { DraftCustomer } from './invoice-draft.ts'

/**
 * The customer that an invoice would be for: the one that was chosen, or the one that has the typed e-mail address already.
 * Undefined for a new one, and until it is read.
 */
export const useDraftCustomer = (customer: DraftCustomer): CustomerWithTotals | undefined => {
  const id = customer.by === 'search' ? customer.id : undefined
  const email = customer.by === 'email' ? customer.email.trim() : undefined
  return (
    useShopQuery(['customers', 'one', { id, email }], async ({ merchantId, livemode, call }, signal) => {
      if (id !== undefined) return call('getCustomer', { merchantId, id }, { signal })
      if (email === undefined) return null
      const found = await call('listCustomers', { merchantId, livemode, email, limit: 1 }, { signal })
      return found.data[0] ?? null
    }).value.data ?? undefined
  )
}

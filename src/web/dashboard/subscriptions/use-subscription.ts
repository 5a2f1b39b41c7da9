import { useRef, useState } from 'preact/hooks'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { useShopQuery } from '../shell/queries.ts'

/** One subscription, as it is now. */
export const useSubscription = (id: string) =>
  useShopQuery(['subscriptions', 'one', id], ({ merchantId, call }, signal) =>
    call('getSubscription', { merchantId, id }, { signal }),
  ).value

const MOST = 100

type Invoices = { readonly id: string; readonly invoices: readonly InvoiceWithLines[]; readonly hasMore: boolean }

/** Its latest invoices, newest first, and older ones on request. They are read again together, so that none is missing between pages. */
export const useInvoicesOfSubscription = (id: string) => {
  const [pages, setPages] = useState(1)
  const { data } = useShopQuery(
    ['subscriptions', 'one', id, 'invoices', pages],
    async ({ call, ...scope }, signal): Promise<Invoices> => {
      const invoices: InvoiceWithLines[] = []
      for (let page = 0; page < pages; page++) {
        const last = invoices.at(-1)
        const after = last && { startingAfter: last.id }
        const list = await call('listInvoices', { ...scope, subscriptionId: id, limit: MOST, ...after }, { signal })
        invoices.push(...list.data)
        if (!list.has_more) return { id, invoices, hasMore: false }
      }
      return { id, invoices, hasMore: true }
    },
  ).value
  // They stay while more of them are read.
  const latest = useRef<Invoices>(undefined)
  latest.current = data ?? latest.current
  const shown = latest.current?.id === id ? latest.current : undefined
  return {
    invoices: shown?.invoices,
    hasMore: shown?.hasMore ?? false,
    isReading: data === undefined,
    showOlder: () => setPages(count => count + 1),
  }
}

export type SubscriptionInvoices = ReturnType<typeof useInvoicesOfSubscription>

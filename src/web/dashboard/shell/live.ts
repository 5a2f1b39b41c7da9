import { type ReadonlySignal, signal } from '@preact/signals'
import type { QueryClient, QueryKey } from '@tanstack/query-core'
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { type LiveChange, type LiveState, openLive } from '../../api/live.ts'
import { CacheContext } from '../../api/query.ts'
import type { ListPage } from './pages.tsx'
import type { CurrentShop } from './shop.ts'

/** What the event stream of the shop says to the pages. */
export type LiveUpdates = {
  readonly isLive: ReadonlySignal<boolean>
  /** Payments that were created after the list was read. They are offered, so that they do not push the rows in view. */
  readonly newPayments: ReadonlySignal<ReadonlySet<string>>
  /** Records that have changed in the last second. */
  readonly changed: ReadonlySignal<ReadonlySet<string>>
  forgetNewPayments(): void
}

const TINTED_MS = 1_200

type Feed = LiveUpdates & { receive(change: LiveChange): void; setState(state: LiveState): void }

const openFeed = (cache: QueryClient, { session, merchant, livemode }: CurrentShop): Feed => {
  const isLive = signal(false)
  const newPayments = signal<ReadonlySet<string>>(new Set())
  const changed = signal<ReadonlySet<string>>(new Set())
  const scope: QueryKey = [merchant.id, livemode]
  const without = (set: ReadonlySet<string>, id: string) => new Set([...set].filter(each => each !== id))
  const lists = () => cache.getQueriesData<ListPage<{ readonly id: string }>>({ queryKey: [...scope, 'payments'] })

  const tint = (id: string) => {
    changed.value = new Set([...changed.value, id])
    setTimeout(() => {
      changed.value = without(changed.value, id)
    }, TINTED_MS)
  }

  /** Reads a payment that is in view again, and puts it in its place. */
  const refreshRow = async (id: string): Promise<void> => {
    const payment = await session.call('getPayment', { merchantId: merchant.id, id })
    for (const [key, data] of lists())
      if (data?.rows?.some(row => row.id === id))
        cache.setQueryData(key, { ...data, rows: data.rows.map(row => (row.id === id ? payment : row)) })
    tint(id)
  }

  return {
    isLive,
    newPayments,
    changed,
    forgetNewPayments: () => {
      newPayments.value = new Set()
    },
    setState: ({ phase }) => {
      isLive.value = phase === 'live'
    },
    receive: ({ object, id, event }) => {
      if (object === 'payment_link') void cache.invalidateQueries({ queryKey: [...scope, 'links'] })
      // A refund changes what its payment shows.
      if (object === 'refund') void cache.invalidateQueries({ queryKey: [...scope, 'payments', 'one'] })
      if (object === 'refund') void cache.invalidateQueries({ queryKey: [...scope, 'refunds'] }).then(() => tint(id))
      if (object === 'dispute') void cache.invalidateQueries({ queryKey: [...scope, 'disputes'] })
      if (object !== 'payment') return
      void cache.invalidateQueries({ queryKey: [...scope, 'payments', 'one', id] })
      if (lists().some(([, data]) => data?.rows?.some(row => row.id === id))) refreshRow(id).catch(() => {})
      else if (event === 'payment.created') newPayments.value = new Set([...newPayments.value, id])
    },
  }
}

export const LiveContext = createContext<LiveUpdates | undefined>(undefined)

export const useLive = (): LiveUpdates | undefined => useContext(LiveContext)

/** Follows the event stream of a shop as long as its pages are open. */
export const useLiveFeed = (shop: CurrentShop): LiveUpdates => {
  const cache = useContext(CacheContext)
  const { session, merchant, livemode } = shop
  const [feed] = useState(() => openFeed(cache, shop))
  const { phase } = session.state.value
  useEffect(() => {
    if (phase !== 'signed_in') return
    const live = openLive({
      ...{ session, merchantId: merchant.id, livemode },
      onChange: feed.receive,
      onEnd: () => session.reload().catch(() => {}),
      onStale: () => void cache.invalidateQueries({ queryKey: [merchant.id, livemode] }),
    })
    const stop = live.state.subscribe(state => {
      feed.setState(state)
      // The membership has ended, or the session: the account says which.
      if (state.phase === 'refused' && state.code !== 'invalid_token') session.reload().catch(() => {})
    })
    return () => {
      stop()
      live.close()
    }
  }, [phase])
  return feed
}

import { type ReadonlySignal, signal } from '@preact/signals'
import type { QueryClient, QueryKey } from '@tanstack/query-core'
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { StreamState } from '../../api/follow.ts'
import { type LiveChange, openLive } from '../../api/live.ts'
import { paced } from '../../api/paced.ts'
import { CacheContext } from '../../api/query.ts'
import type { ListPage } from './pages.tsx'
import type { CurrentShop } from './shop.ts'

/** What the event stream of the shop says to the pages. */
export type LiveUpdates = {
  readonly isLive: ReadonlySignal<boolean>
  /** Payments that were created after the list was read. They are offered, so that they do not push the rows in view. */
  readonly newPayments: ReadonlySignal<{ readonly size: number }>
  /** Records that have changed in the last second. */
  readonly changed: ReadonlySignal<ReadonlySet<string>>
  forgetNewPayments(): void
}

const TINTED_MS = 1_200
const REST_MS = 100
/** Rows that are read at a time. A shop may have a thousand changes a second. */
const ROWS_AT_ONCE = 10
/** Lists of deliveries are read as a whole, so they rest longer. */
const DELIVERIES_REST_MS = 1_000

type Feed = LiveUpdates & { receive(change: LiveChange): void; setState(state: StreamState): void }

/** Changes that were received and are not shown yet. */
const nothing = () => ({
  payments: new Set<string>(),
  /** Those of them that were created. */
  created: new Set<string>(),
  refunds: new Set<string>(),
  hasLink: false,
  hasDispute: false,
})

const openFeed = (cache: QueryClient, { session, merchant, livemode }: CurrentShop): Feed => {
  const isLive = signal(false)
  const newPayments = signal({ size: 0 })
  const changed = signal<ReadonlySet<string>>(new Set())
  const scope: QueryKey = [merchant.id, livemode]
  const lists = () => cache.getQueriesData<ListPage<{ readonly id: string }>>({ queryKey: [...scope, 'payments'] })
  let waiting = nothing()
  /** Payments in view that are to be read again. */
  const rows = new Set<string>()

  const tint = (ids: readonly string[]) => {
    if (ids.length === 0) return
    changed.value = new Set([...changed.value, ...ids])
    setTimeout(() => {
      changed.value = new Set([...changed.value].filter(id => !ids.includes(id)))
    }, TINTED_MS)
  }

  /** Reads payments that are in view again, and puts them in their places. */
  const refreshRows = async (): Promise<void> => {
    const ids = [...rows].slice(0, ROWS_AT_ONCE)
    for (const id of ids) rows.delete(id)
    const read = await Promise.allSettled(ids.map(id => session.call('getPayment', { merchantId: merchant.id, id })))
    const found = new Map(read.flatMap(one => (one.status === 'fulfilled' ? [[one.value.id, one.value]] : [])))
    for (const [key, data] of lists())
      if (data?.rows?.some(({ id }) => found.has(id)))
        cache.setQueryData(key, { ...data, rows: data.rows.map(row => found.get(row.id) ?? row) })
    tint([...found.keys()])
  }

  const refresh = (...key: readonly unknown[]) => cache.invalidateQueries({ queryKey: [...scope, ...key] })

  const refreshPayments = ({ payments, created, refunds }: ReturnType<typeof nothing>): Promise<unknown> => {
    const inView = new Set(lists().flatMap(([, data]) => data?.rows?.map(({ id }) => id) ?? []))
    for (const id of payments) if (inView.has(id)) rows.add(id)
    const newOnes = [...created].filter(id => !inView.has(id)).length
    if (newOnes > 0) newPayments.value = { size: newPayments.value.size + newOnes }
    // A refund changes what its payment shows.
    const isStale = (id: unknown) => refunds.size > 0 || payments.has(String(id))
    return Promise.all([
      refreshRows(),
      cache.invalidateQueries({
        queryKey: [...scope, 'payments', 'one'],
        predicate: ({ queryKey }) => isStale(queryKey[scope.length + 2]),
      }),
    ])
  }

  const updates = paced(REST_MS, async () => {
    const received = waiting
    waiting = nothing()
    const { refunds, hasLink, hasDispute } = received
    await Promise.allSettled([
      refreshPayments(received),
      hasLink && refresh('links'),
      hasDispute && refresh('disputes'),
      refunds.size > 0 && refresh('refunds').then(() => tint([...refunds])),
    ])
    return rows.size > 0
  })

  const deliveries = paced(DELIVERIES_REST_MS, async () => {
    await Promise.allSettled([refresh('deliveries'), refresh('webhooks', 'inbox')])
    return false
  })

  return {
    isLive,
    newPayments,
    changed,
    forgetNewPayments: () => {
      newPayments.value = { size: 0 }
    },
    setState: ({ phase }) => {
      isLive.value = phase === 'live'
    },
    receive: ({ object, id, status, event }) => {
      // The records that name an erased customer have changed without changes of their own.
      if (object === 'customer' && (status === 'erasing' || status === 'erased')) return void refresh()
      if (object === 'webhook_delivery') return deliveries.ask()
      if (object === 'payment') waiting.payments.add(id)
      else if (object === 'refund') waiting.refunds.add(id)
      else if (object === 'payment_link') waiting.hasLink = true
      else if (object === 'dispute') waiting.hasDispute = true
      else return
      if (event === 'payment.created') waiting.created.add(id)
      updates.ask()
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

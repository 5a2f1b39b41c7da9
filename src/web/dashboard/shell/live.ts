import { type ReadonlySignal, signal } from '@preact/signals'
import type { QueryClient, QueryKey } from '@tanstack/query-core'
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { StreamState } from '../../api/follow.ts'
import { type LiveChange, openLive } from '../../api/live.ts'
import { paced } from '../../api/paced.ts'
import { CacheContext } from '../../api/query.ts'
import { type LiveRows, openLiveRows } from './live-rows.ts'
import type { CurrentShop } from './shop.ts'

/** Sections whose rows change in place. A record that was created is offered, so that it does not push the rows in view. */
export type LiveSection = 'payments' | 'customers' | 'invoices' | 'subscriptions'

/** What the event stream of the shop says to the pages. */
export type LiveUpdates = {
  readonly isLive: ReadonlySignal<boolean>
  readonly rows: Readonly<Record<LiveSection, LiveRows>>
  /** Records that have changed in the last second. */
  readonly changed: ReadonlySignal<ReadonlySet<string>>
}

const TINTED_MS = 1_200
const REST_MS = 100
/** Lists of deliveries are read as a whole, so they rest longer. */
const DELIVERIES_REST_MS = 1_000
/** The totals of customers are that old at most. */
const TOTALS_MS = 2_000

type Feed = LiveUpdates & { receive(change: LiveChange): void; setState(state: StreamState): void }

/** Changes that were received and are not shown yet. */
const nothing = () => ({
  payments: new Set<string>(),
  customers: new Set<string>(),
  invoices: new Set<string>(),
  subscriptions: new Set<string>(),
  /** Those of them that were created. */
  created: new Set<string>(),
  refunds: new Set<string>(),
  hasLink: false,
  hasDispute: false,
  hasPlan: false,
})

const openFeed = (cache: QueryClient, { session, merchant, livemode }: CurrentShop): Feed => {
  const isLive = signal(false)
  const changed = signal<ReadonlySet<string>>(new Set())
  const scope: QueryKey = [merchant.id, livemode]
  const rows = {
    payments: openLiveRows(cache, [...scope, 'payments'], id =>
      session.call('getPayment', { merchantId: merchant.id, id }),
    ),
    customers: openLiveRows(cache, [...scope, 'customers'], id =>
      session.call('getCustomer', { merchantId: merchant.id, id }),
    ),
    invoices: openLiveRows(cache, [...scope, 'invoices'], id =>
      session.call('getInvoice', { merchantId: merchant.id, id }),
    ),
    subscriptions: openLiveRows(cache, [...scope, 'subscriptions'], id =>
      session.call('getSubscription', { merchantId: merchant.id, id }),
    ),
  }
  let waiting = nothing()

  const tint = (ids: readonly string[]) => {
    if (ids.length === 0) return
    changed.value = new Set([...changed.value, ...ids])
    setTimeout(() => {
      changed.value = new Set([...changed.value].filter(id => !ids.includes(id)))
    }, TINTED_MS)
  }

  const refresh = (...key: readonly unknown[]) => cache.invalidateQueries({ queryKey: [...scope, ...key] })

  /** The rows of a section, and its records that are open. */
  const refreshSection = (section: LiveSection, isStale: (id: string) => boolean): Promise<unknown> =>
    Promise.all([
      rows[section].refresh().then(tint),
      cache.invalidateQueries({
        queryKey: [...scope, section, 'one'],
        predicate: ({ queryKey }) => isStale(String(queryKey[scope.length + 2])),
      }),
    ])

  const updates = paced(REST_MS, async () => {
    const received = waiting
    waiting = nothing()
    const { payments, customers, invoices, subscriptions, created, refunds } = received
    for (const section of ['payments', 'customers', 'invoices', 'subscriptions'] as const)
      rows[section].receive(received[section], new Set([...created].filter(id => received[section].has(id))))
    await Promise.allSettled([
      // A refund changes what its payment shows.
      refreshSection('payments', id => refunds.size > 0 || payments.has(id)),
      refreshSection('customers', id => customers.has(id)),
      refreshSection('invoices', id => invoices.has(id)),
      // Its page shows its invoices, and what happens next depends on them.
      refreshSection('subscriptions', id => invoices.size > 0 || subscriptions.has(id)),
      received.hasLink && refresh('links'),
      received.hasDispute && refresh('disputes'),
      (received.hasPlan || [...created].some(id => subscriptions.has(id))) && refresh('plans'),
      refunds.size > 0 && refresh('refunds').then(() => tint([...refunds])),
    ])
    return Object.values(rows).some(each => each.hasMore())
  })

  const deliveries = paced(DELIVERIES_REST_MS, async () => {
    await Promise.allSettled([refresh('deliveries'), refresh('webhooks', 'inbox')])
    return false
  })

  /** The payments and invoices of the customer that is open, and their sums. */
  const totals = paced(0, async () => {
    await new Promise(resolve => setTimeout(resolve, TOTALS_MS))
    await Promise.allSettled([refresh('customers', 'one')])
    return false
  })

  return {
    ...{ isLive, rows, changed },
    setState: ({ phase }) => {
      isLive.value = phase === 'live'
    },
    receive: ({ object, id, status, event }) => {
      // The records that name an erased customer have changed without changes of their own.
      if (object === 'customer' && (status === 'erasing' || status === 'erased')) return void refresh()
      if (object === 'webhook_delivery') return deliveries.ask()
      // A draft that was deleted leaves the lists.
      if (object === 'invoice' && status === 'deleted') return void refresh('invoices')
      if (object === 'payment') waiting.payments.add(id)
      else if (object === 'customer') waiting.customers.add(id)
      else if (object === 'invoice') waiting.invoices.add(id)
      else if (object === 'subscription') waiting.subscriptions.add(id)
      else if (object === 'plan') waiting.hasPlan = true
      else if (object === 'test_clock') return void refresh('test-clocks')
      else if (object === 'refund') waiting.refunds.add(id)
      else if (object === 'payment_link') waiting.hasLink = true
      else if (object === 'dispute') waiting.hasDispute = true
      else return
      if (event?.endsWith('.created')) waiting.created.add(id)
      updates.ask()
      if (object === 'payment' || object === 'refund' || object === 'invoice') totals.ask()
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

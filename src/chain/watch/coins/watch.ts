import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../../actors/services.ts'
import type { Sql } from '../../../postgres/connect.ts'
import { isInShare, type WorkerShare } from '../../../workers/share.ts'
import { describeError } from '../../rpc/describe-error.ts'
import { type Outage, openOutage } from '../../rpc/outage.ts'
import { RpcRefusal } from '../../rpc/rpc.ts'
import { type AddressCursor, addressesOf, findDue, walkOn, walkSince } from './due.ts'
import { checkNativeBalances, Doubted } from './look.ts'
import type { CoinSource } from './source.ts'

export type CoinChain = {
  readonly id: number
  readonly pollMs: number
  readonly source: { readonly coins: CoinSource }
}

export type CoinOptions = Rhythm & {
  readonly chains: readonly CoinChain[]
  readonly share: WorkerShare
  /** How long a second node is waited for before one alone is believed that nothing came. */
  readonly awayMs?: number
}

/** How often a waiting payment's address is looked at, how often any other of the last days, and how often all. */
export type Rhythm = {
  readonly everyMs?: number
  readonly walkEveryMs?: number
  readonly walkAllEveryMs?: number
}

export type CoinWatch = {
  /** What keeps balances from being looked at, by chain. */
  troubles(): ReadonlyMap<number, string>
  stop(): Promise<void>
}

const EVERY_MS = 2 * 60_000
const WALK_EVERY_MS = 5 * 60_000
const LONGEST_PAUSE_MS = 30_000
const AWAY_MS = 2 * 60_000

/** The longest window, and some days for who is late. */
const WALK_BACK_MS = 10 * 24 * 60 * 60_000

/** Who is later than that waits for a person to see it, and as well for a day before. */
const WALK_ALL_EVERY_MS = 24 * 60 * 60_000

/** A page that asks again and again is answered from the books meanwhile. */
const FRESH_MS = 10_000

/**
 * Looks at what addresses hold for as long as it runs, beside the reading of the chains and never in its way: what
 * contracts send on shows nowhere else.
 */
export const watchCoins = (
  world: Services,
  {
    chains,
    share,
    awayMs = AWAY_MS,
    everyMs = EVERY_MS,
    walkEveryMs = WALK_EVERY_MS,
    walkAllEveryMs = WALK_ALL_EVERY_MS,
  }: CoinOptions,
): CoinWatch => {
  const stopping = new AbortController()
  const { signal } = stopping
  const troubles = new Map<number, string>()

  const watch = async (chain: CoinChain): Promise<void> => {
    const looker = openLooker(world, chain, { everyMs, walkEveryMs, walkAllEveryMs }, openOutage(awayMs))
    for (let failures = 0; !signal.aborted; ) {
      const began = performance.now()
      try {
        if (isInShare(chain.id, share)) while (!signal.aborted && (await looker.lookOn()) === 'looked');
        failures = 0
        troubles.delete(chain.id)
      } catch (error) {
        failures++
        const trouble = describeError(error)
        if (troubles.get(chain.id) !== trouble)
          world.log.warn({ chain: chain.id, trouble }, 'balance check failed, retrying')
        troubles.set(chain.id, trouble)
      }
      // Whoever waits is asked for each time, and thousands may: that takes no more than a fifth of the time.
      const shortestMs = Math.max(chain.pollMs, 4 * (performance.now() - began))
      const pauseMs = Math.min(shortestMs * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  const watching = Promise.all(chains.map(watch))
  return {
    troubles: () => troubles,
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}

/**
 * Whose turn it is on one chain: first those who wait, then the next of a walk through all of the last days, and of one
 * through all addresses that were ever given out. That one is long, and goes on by one page at a time.
 */
export const openLooker = (
  { sql, clock }: Pick<Services, 'sql' | 'clock'>,
  { id, source }: Pick<CoinChain, 'id' | 'source'>,
  { everyMs, walkEveryMs, walkAllEveryMs }: Required<Rhythm>,
  absence?: Outage,
) => {
  const recent = openRounds(sql, walkEveryMs, () => walkSince(new Date(clock.now().getTime() - WALK_BACK_MS)))
  const all = openRounds(sql, walkAllEveryMs, () => walkSince(new Date(0)))
  return {
    lookOn: async (): Promise<'looked' | 'idle'> => {
      const due = await findDue(sql, id, everyMs)
      let doubt: Doubted | RpcRefusal | undefined
      if (due.length > 0) {
        try {
          return (await checkNativeBalances(sql, id, source.coins, due, { remember: true, absence })) > 0
            ? 'looked'
            : 'idle'
        } catch (error) {
          if (!(error instanceof Doubted || error instanceof RpcRefusal)) throw error
          doubt = error
        }
      }
      const page = await recent.next()
      const addresses = page ?? (await all.next())
      if (addresses) await checkNativeBalances(sql, id, source.coins, addresses, { remember: false, absence })
      // One that nodes do not agree on, or refuse, keeps nobody from the walks.
      if (doubt) throw doubt
      return page ? 'looked' : 'idle'
    },
  }
}

/** Pages of addresses, round after round and none begun sooner than so long after the last; undefined until then. */
const openRounds = (sql: Sql, everyMs: number, begin: () => AddressCursor) => {
  let walk: AddressCursor | undefined
  let againAt = 0
  return {
    next: async (): Promise<readonly string[] | undefined> => {
      if (!walk && performance.now() < againAt) return undefined
      againAt = walk ? againAt : performance.now() + everyMs
      const page = await walkOn(sql, walk ?? begin())
      // Before it is looked at: whatever is wrong with one page keeps nobody from the others.
      walk = page?.next
      return page?.addresses
    },
  }
}

/** Looks at a payment's addresses now, for somebody who waits. Its transfers are told to it as any others. */
export const lookNow = async (
  { sql }: Pick<Services, 'sql'>,
  chainId: number,
  source: CoinSource,
  paymentId: string,
  freshMs = FRESH_MS,
): Promise<void> => {
  const addresses = await addressesOf(sql, chainId, paymentId, freshMs)
  // What comes shows to two nodes alone, and a window does not end because a page was open while one was away.
  const absence: Outage = { isLong: () => false, end: () => {} }
  if (addresses.length > 0) await checkNativeBalances(sql, chainId, source, addresses, { remember: true, absence })
}

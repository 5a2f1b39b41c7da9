import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../../../world.ts'
import { isMine, type Share } from '../share.ts'
import { troubleOf } from '../trouble.ts'
import { addressesOf, findDue, type Walk, walkOn, walkSince } from './due.ts'
import { lookAt } from './look.ts'
import type { CoinSource } from './source.ts'

export type CoinChain = {
  readonly id: number
  readonly pollMs: number
  readonly source: { readonly coins: CoinSource }
}

export type CoinOptions = {
  readonly chains: readonly CoinChain[]
  readonly share: Share
  /** How often a waiting payment's address is looked at, and how often any other of the last days. */
  readonly everyMs?: number
  readonly walkEveryMs?: number
}

export type CoinWatch = {
  /** What keeps balances from being looked at, by chain. */
  troubles(): ReadonlyMap<number, string>
  stop(): Promise<void>
}

const EVERY_MS = 2 * 60_000
const WALK_EVERY_MS = 30 * 60_000
const LONGEST_PAUSE_MS = 30_000

/** The longest window, and some days for who is late. */
const WALK_BACK_MS = 10 * 24 * 60 * 60_000

/** A page that asks again and again is answered from the books meanwhile. */
const FRESH_MS = 10_000

/**
 * Looks at what addresses hold for as long as it runs, beside the reading of the chains and never in its way: what
 * contracts send on shows nowhere else.
 */
export const watchCoins = (
  world: World,
  { chains, share, everyMs = EVERY_MS, walkEveryMs = WALK_EVERY_MS }: CoinOptions,
): CoinWatch => {
  const stopping = new AbortController()
  const { signal } = stopping
  const troubles = new Map<number, string>()

  const watch = async (chain: CoinChain): Promise<void> => {
    const looker = openLooker(world, chain, { everyMs, walkEveryMs })
    for (let failures = 0; !signal.aborted; ) {
      const began = performance.now()
      try {
        if (isMine(chain.id, share)) while (!signal.aborted && (await looker.lookOn()) === 'looked');
        failures = 0
        troubles.delete(chain.id)
      } catch (error) {
        failures++
        const trouble = troubleOf(error)
        if (troubles.get(chain.id) !== trouble)
          world.log.warn({ chain: chain.id, trouble }, 'balances cannot be looked at')
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

/** Whose turn it is on one chain: first those who wait, then the next of a walk through all of the last days. */
export const openLooker = (
  { sql, clock }: Pick<World, 'sql' | 'clock'>,
  { id, source }: Pick<CoinChain, 'id' | 'source'>,
  { everyMs, walkEveryMs }: { readonly everyMs: number; readonly walkEveryMs: number },
) => {
  let walk: Walk | undefined
  let walkAgainAt = 0
  return {
    lookOn: async (): Promise<'looked' | 'idle'> => {
      const due = await findDue(sql, id, everyMs)
      if (due.length > 0) return (await lookAt(sql, id, source.coins, due, { remember: true })) > 0 ? 'looked' : 'idle'
      if (!walk && performance.now() < walkAgainAt) return 'idle'
      walkAgainAt = walk ? walkAgainAt : performance.now() + walkEveryMs
      const page = await walkOn(sql, walk ?? walkSince(new Date(clock.now().getTime() - WALK_BACK_MS)))
      // Before it is looked at: whatever is wrong with one page keeps nobody from the others.
      walk = page?.next
      if (!page) return 'idle'
      await lookAt(sql, id, source.coins, page.addresses, { remember: false })
      return 'looked'
    },
  }
}

/** Looks at a payment's addresses now, for somebody who waits. Its transfers are told to it as any others. */
export const lookNow = async (
  { sql }: Pick<World, 'sql'>,
  chainId: number,
  source: CoinSource,
  paymentId: string,
  freshMs = FRESH_MS,
): Promise<void> => {
  const addresses = await addressesOf(sql, chainId, paymentId, freshMs)
  if (addresses.length > 0) await lookAt(sql, chainId, source, addresses, { remember: true })
}

import type { Dependencies } from '../../dependencies.ts'
import type { Chain } from '../chain.ts'
import { type Price, rateOf } from './amount.ts'
import { isBehind, type PriceRejection, type PriceVerdict } from './price-checks.ts'
import { openVerdicts, secondsOf } from './price-verdicts.ts'
import { type FeedNodes, feedsOf, readFeeds } from './read-feeds.ts'

/** The accepted prices of a chain, by pair. */
export type ChainPrices = ReadonlyMap<string, Price>

export type FeedState = { readonly chainId: number; readonly pair: string; readonly state: 'accepted' | PriceRejection }

/** The price of a feed at its last reading. Null before the first one, and while the price is not accepted. */
export type KnownPrice = { readonly pair: string; readonly rate: string | null; readonly at: Date | null }

export type Prices = {
  /** Reads the prices, or returns those of the last 5 seconds. Never throws: rejected prices are left out. */
  read(): Promise<ChainPrices>
  /** For display. Empty before the first reading. */
  states(): readonly FeedState[]
  /** For display: every feed of the chain, without a reading. */
  known(): readonly KnownPrice[]
}

export const openPrices = (
  chain: Chain,
  rpc: FeedNodes,
  { clock, log }: Pick<Dependencies, 'clock' | 'log'>,
): Prices => {
  const decide = openVerdicts(chain)
  let states: readonly FeedState[] = []
  let known: readonly KnownPrice[] = feedsOf(chain).map(({ pair }) => ({ pair, rate: null, at: null }))
  let reading: { readonly prices: Promise<ChainPrices>; doneMs: number | null } | undefined
  const now = () => clock.now().getTime()

  const readNow = async (): Promise<ChainPrices> => {
    const reading = await readFeeds(rpc, chain, headS => isBehind(chain, headS, secondsOf(now()))).catch(err => {
      log.error({ chain: chain.id, err }, 'price feeds not read, retrying')
      return 'unreachable' as const
    })
    const verdicts = [...decide(reading, now())]
    const stateOf = (verdict: PriceVerdict) => ('accepted' in verdict ? 'accepted' : verdict.rejected)
    logChanges(verdicts.map(([{ pair }, verdict]) => ({ chainId: chain.id, pair, state: stateOf(verdict) })))
    const at = clock.now()
    known = verdicts.map(([{ pair }, verdict]) => ({
      pair,
      ...('accepted' in verdict ? { rate: rateOf(verdict.accepted), at } : { rate: null, at: null }),
    }))
    return new Map(
      verdicts.flatMap(([feed, verdict]) => ('accepted' in verdict ? [[feed.pair, verdict.accepted]] : [])),
    )
  }

  /** Logs prices whose state has changed. */
  const logChanges = (found: readonly FeedState[]) => {
    for (const [n, { pair, state }] of found.entries()) {
      const before = states[n]?.state ?? 'accepted'
      if (state === before) continue
      if (state === 'accepted') log.info({ chain: chain.id, pair }, 'price accepted again')
      else log.warn({ chain: chain.id, pair, reason: state }, 'price rejected')
    }
    states = found
  }

  const prices: Prices = {
    known: () => known,
    states: () => {
      // While a price is rejected, asking for the states also reads it again: without customers nothing else would.
      if (states.some(({ state }) => state !== 'accepted')) void prices.read()
      return states
    },
    read: () => {
      // Concurrent callers share one reading. Setting the clock back does not make an old reading current.
      if (reading && (reading.doneMs === null || Math.abs(now() - reading.doneMs) < FRESH_MS)) return reading.prices
      const current: typeof reading = { prices: readNow(), doneMs: null }
      reading = current
      const done = () => {
        current.doneMs = now()
      }
      current.prices.then(done, done)
      return current.prices
    },
  }
  return prices
}

const FRESH_MS = 5_000

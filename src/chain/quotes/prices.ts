import type { Clock } from '../../clock.ts'
import type { Chain, Feed } from '../chains.ts'
import type { Node } from '../rpc/rpc.ts'
import type { Price } from './amount.ts'
import { type Belief, openBelief } from './belief.ts'
import { type Doubt, doubtAbout, judgeRound, type Verdict } from './judge.ts'
import { feedsOf, readFeeds } from './read-feeds.ts'

/** What the aggregators of a chain were last found to say, by the pair. */
export type ChainPrices = ReadonlyMap<string, Price>

export type FeedState = { readonly chainId: number; readonly pair: string; readonly state: 'believed' | Doubt }

export type Prices = {
  /** Read now, or a few seconds ago. Never throws: what cannot be believed is not in it. */
  read(): Promise<ChainPrices>
  /** For people: nothing before the first reading. */
  states(): readonly FeedState[]
}

export const openPrices = (chain: Chain, batch: Node['batch'], clock: Clock): Prices => {
  const beliefs = new Map(feedsOf(chain).map(feed => [feed, openBelief(feed === chain.native.feed ? 20n : 5n)]))
  let states: readonly FeedState[] = []
  let reading: { readonly prices: Promise<ChainPrices>; doneMs: number | null } | undefined

  const readNow = async (): Promise<ChainPrices> => {
    const verdicts = await judgeAll(chain, batch, clock, beliefs)
    states = verdicts.map(([feed, verdict]) => ({
      chainId: chain.id,
      pair: feed.pair,
      state: 'believed' in verdict ? 'believed' : verdict.refused,
    }))
    return new Map(
      verdicts.flatMap(([feed, verdict]) => ('believed' in verdict ? [[feed.pair, verdict.believed]] : [])),
    )
  }

  return {
    states: () => states,
    read: () => {
      // Whoever asks while a reading is under way waits for that one. A clock set back makes none fresh again.
      if (reading && (reading.doneMs === null || Math.abs(clock.now().getTime() - reading.doneMs) < freshMs))
        return reading.prices
      const mine: typeof reading = { prices: readNow(), doneMs: null }
      reading = mine
      const done = () => {
        mine.doneMs = clock.now().getTime()
      }
      mine.prices.then(done, done)
      return mine.prices
    },
  }
}

const judgeAll = async (
  chain: Chain,
  batch: Node['batch'],
  clock: Clock,
  beliefs: ReadonlyMap<Feed, Belief>,
): Promise<readonly (readonly [Feed, Verdict])[]> => {
  const reading = await readFeeds(batch, chain)
  const nowMs = clock.now().getTime()
  const nowS = BigInt(Math.floor(nowMs / 1000))
  const doubt = reading ? doubtAbout(chain, reading, nowS) : 'unreachable'
  return [...beliefs].map(([feed, belief]) => {
    if (!reading || doubt) return [feed, { refused: doubt ?? 'unreachable' }]
    const verdict = judgeRound(chain, feed, reading.rounds.get(feed), reading.headS, nowS)
    return [feed, 'believed' in verdict ? belief.weigh(verdict.believed, nowMs) : verdict]
  })
}

const freshMs = 5_000

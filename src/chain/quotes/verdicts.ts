import type { Chain, Feed } from '../chain.ts'
import { openBelief } from './belief.ts'
import { doubtAbout, isBehind, judgeRound, mostBehindS, type PriceVerdict } from './judge.ts'
import { feedsOf, type NoReading, type Reading } from './read-feeds.ts'

export type Verdicts = ReadonlyMap<Feed, PriceVerdict>

/** What is to be thought of every aggregator of a chain after a reading, or after an attempt at one. */
export const openVerdicts = (chain: Chain): ((told: Reading | NoReading, nowMs: number) => Verdicts) => {
  const feeds = feedsOf(chain)
  const beliefs = feeds.map(feed => openBelief(feed === chain.native.feed ? 20n : 5n))
  let last: Last | undefined

  const weigh = (reading: Reading, nowMs: number): Verdicts => {
    const doubt = doubtAbout(chain, reading, secondsOf(nowMs))
    const weighOne = (feed: Feed, n: number): PriceVerdict => {
      if (doubt) return { refused: doubt }
      const verdict = judgeRound(chain, feed, reading.rounds.get(feed), reading.headS, secondsOf(nowMs))
      return ('believed' in verdict && beliefs[n]?.weigh(verdict.believed, nowMs)) || verdict
    }
    return new Map(feeds.map((feed, n) => [feed, weighOne(feed, n)]))
  }

  return (told, nowMs) => {
    if (typeof told === 'object' && !isBehind(chain, told.headS, secondsOf(nowMs))) {
      last = { reading: told, verdicts: weigh(told, nowMs), ms: nowMs }
      return last.verdicts
    }
    if (last && isUsable(chain, last, nowMs)) return stillOf(chain, last, nowMs)
    return new Map(feeds.map(feed => [feed, { refused: typeof told === 'object' ? 'behind' : told }]))
  }
}

type Last = { readonly reading: Reading; readonly verdicts: Verdicts; readonly ms: number }

/**
 * While nothing new can be read the last reading counts, until its block is older than one may be that is read now: a
 * node that is away for a moment takes no price away. It is weighed no second time.
 */
const isUsable = (chain: Chain, { reading, ms }: Last, nowMs: number): boolean =>
  doubtAbout(chain, reading, secondsOf(nowMs)) === undefined &&
  Math.abs(nowMs - ms) <= Number(mostBehindS(chain)) * 1_000

const stillOf = (chain: Chain, { reading, verdicts }: Last, nowMs: number): Verdicts =>
  new Map(
    [...verdicts].map(([feed, verdict]) => {
      const now = judgeRound(chain, feed, reading.rounds.get(feed), reading.headS, secondsOf(nowMs))
      return [feed, 'believed' in verdict ? now : verdict]
    }),
  )

export const secondsOf = (ms: number): bigint => BigInt(Math.floor(ms / 1_000))

import type { Chain, Feed } from '../chain.ts'
import { openJumpCheck } from './jump-check.ts'
import { chainRejection, checkRound, isBehind, maxHeadAgeS, type PriceVerdict } from './price-checks.ts'
import { feedsOf, type NoReading, type Reading } from './read-feeds.ts'

export type PriceVerdicts = ReadonlyMap<Feed, PriceVerdict>

/** Decides for each aggregator of a chain whether its price is accepted, after each reading or failed attempt. */
export const openVerdicts = (chain: Chain): ((answer: Reading | NoReading, nowMs: number) => PriceVerdicts) => {
  const feeds = feedsOf(chain)
  const jumpChecks = feeds.map(feed => openJumpCheck(feed === chain.native.feed ? 20n : 5n))
  let last: LastReading | undefined

  const decide = (reading: Reading, nowMs: number): PriceVerdicts => {
    const rejection = chainRejection(chain, reading, secondsOf(nowMs))
    const decideOne = (feed: Feed, n: number): PriceVerdict => {
      if (rejection) return { rejected: rejection }
      const verdict = checkRound(chain, feed, reading.rounds.get(feed), reading.headS, secondsOf(nowMs))
      return ('accepted' in verdict && jumpChecks[n]?.check(verdict.accepted, nowMs)) || verdict
    }
    return new Map(feeds.map((feed, n) => [feed, decideOne(feed, n)]))
  }

  return (answer, nowMs) => {
    if (typeof answer === 'object' && !isBehind(chain, answer.headS, secondsOf(nowMs))) {
      last = { reading: answer, verdicts: decide(answer, nowMs), ms: nowMs }
      return last.verdicts
    }
    if (last && isUsable(chain, last, nowMs)) return recheck(chain, last, nowMs)
    return new Map(feeds.map(feed => [feed, { rejected: typeof answer === 'object' ? 'behind' : answer }]))
  }
}

type LastReading = { readonly reading: Reading; readonly verdicts: PriceVerdicts; readonly ms: number }

/**
 * While no new reading is possible, the last one is used until its block is older than a new reading's may be: a short
 * outage of a node removes no price. It is not checked for jumps a second time.
 */
const isUsable = (chain: Chain, { reading, ms }: LastReading, nowMs: number): boolean =>
  chainRejection(chain, reading, secondsOf(nowMs)) === undefined &&
  Math.abs(nowMs - ms) <= Number(maxHeadAgeS(chain)) * 1_000

const recheck = (chain: Chain, { reading, verdicts }: LastReading, nowMs: number): PriceVerdicts =>
  new Map(
    [...verdicts].map(([feed, verdict]) => {
      const now = checkRound(chain, feed, reading.rounds.get(feed), reading.headS, secondsOf(nowMs))
      return [feed, 'accepted' in verdict ? now : verdict]
    }),
  )

export const secondsOf = (ms: number): bigint => BigInt(Math.floor(ms / 1_000))

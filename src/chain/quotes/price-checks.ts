import type { Chain, Feed } from '../chain.ts'
import { type Price, tenTo } from './amount.ts'
import type { Reading, Reported, Round, SequencerRound } from './read-feeds.ts'

/** Why a price is rejected. */
export type PriceRejection =
  | 'unreachable'
  | 'disagreed'
  | 'behind'
  | 'ahead'
  | 'sequencer'
  | 'unreadable'
  | 'other_pair'
  | 'not_positive'
  | 'never_updated'
  | 'from_the_future'
  | 'stale'
  | 'jumped'

export type PriceVerdict = { readonly accepted: Price } | { readonly rejected: PriceRejection }

/** The reason to reject all prices of a chain: its block or its sequencer. */
export const chainRejection = (
  chain: Chain,
  { headS, sequencer }: Reading,
  nowS: bigint,
): PriceRejection | undefined => {
  // On a chain that mines on demand the head may have any age, and tests change its clock.
  if (!chain.minesOnDemand && headS > nowS + CLOCK_TOLERANCE_S) return 'ahead'
  if (isBehind(chain, headS, nowS)) return 'behind'
  if (chain.sequencerFeed === null) return undefined
  if (sequencer === 'disagreed') return 'disagreed'
  return isUp(sequencer, headS) ? undefined : 'sequencer'
}

/** The block that two nodes share is too old for its prices to be used. */
export const isBehind = (chain: Chain, headS: bigint, nowS: bigint): boolean =>
  !chain.minesOnDemand && headS + maxHeadAgeS(chain) < nowS

/** 0 means up. Right after an outage the feeds still contain prices from before it. */
const isUp = (round: SequencerRound | undefined, headS: bigint) =>
  round !== undefined && round.answer === 0n && round.startedS > 0n && headS - round.startedS >= SEQUENCER_GRACE_S

export const checkRound = (
  chain: Chain,
  feed: Feed,
  round: Reported<Round>,
  headS: bigint,
  nowS: bigint,
): PriceVerdict => {
  if (round === undefined) return { rejected: 'unreadable' }
  if (round === 'disagreed') return { rejected: 'disagreed' }
  // Detects a wrong address in the known chains or in CHAINS_FILE.
  if (normalizedPair(round.description) !== normalizedPair(feed.pair)) return { rejected: 'other_pair' }
  if (round.answer <= 0n) return { rejected: 'not_positive' }
  if (round.updatedS === 0n) return { rejected: 'never_updated' }
  if (round.updatedS > headS + CLOCK_TOLERANCE_S) return { rejected: 'from_the_future' }
  // By the later of the chain's clock and ours: where nodes are stuck, the chain's clock is stuck too.
  const latestS = chain.minesOnDemand || headS > nowS ? headS : nowS
  if (latestS - round.updatedS > BigInt(feed.heartbeatS) + HEARTBEAT_SLACK_S) return { rejected: 'stale' }
  return { accepted: { numerator: round.answer, denominator: tenTo(round.decimals) } }
}

/** MATIC was renamed to POL at par, and an aggregator keeps its original description. */
const normalizedPair = (pair: string) =>
  pair
    .toUpperCase()
    .replaceAll(' ', '')
    .replace(/^MATIC\//, 'POL/')

const CLOCK_TOLERANCE_S = 60n
const SEQUENCER_GRACE_S = 3_600n
/** The heartbeat is when a round starts. On a busy chain, its answer is mined minutes later. */
const HEARTBEAT_SLACK_S = 300n

export const maxHeadAgeS = ({ blockMs }: Chain) => BigInt(Math.max(300, Math.ceil(blockMs / 100)))

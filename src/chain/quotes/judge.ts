import type { Chain, Feed } from '../chain.ts'
import { type Price, tenTo } from './amount.ts'
import type { Reading, Round, SequencerRound, Told } from './read-feeds.ts'

/** Why an answer is not believed. */
export type PriceDoubt =
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

export type PriceVerdict = { readonly believed: Price } | { readonly refused: PriceDoubt }

/** What is wrong with the node or the chain as a whole, so that no aggregator on it can be believed. */
export const doubtAbout = (chain: Chain, { headS, sequencer }: Reading, nowS: bigint): PriceDoubt | undefined => {
  // A chain that mines on demand has a head of any age, and its clock is moved by tests.
  if (!chain.minesOnDemand && headS > nowS + clocksDifferS) return 'ahead'
  if (isBehind(chain, headS, nowS)) return 'behind'
  if (chain.sequencerFeed === null) return undefined
  if (sequencer === 'disagreed') return 'disagreed'
  return isUp(sequencer, headS) ? undefined : 'sequencer'
}

/** The last block that two nodes have is too old for prices of it. */
export const isBehind = (chain: Chain, headS: bigint, nowS: bigint): boolean =>
  !chain.minesOnDemand && headS + mostBehindS(chain) < nowS

/** 0 is up. Just after an outage the feeds still say what things were worth before it. */
const isUp = (round: SequencerRound | undefined, headS: bigint) =>
  round !== undefined && round.answer === 0n && round.startedS > 0n && headS - round.startedS >= graceS

export const judgeRound = (chain: Chain, feed: Feed, round: Told<Round>, headS: bigint, nowS: bigint): PriceVerdict => {
  if (round === undefined) return { refused: 'unreadable' }
  if (round === 'disagreed') return { refused: 'disagreed' }
  // A mistaken address is found out, in the table or in an operator's file.
  if (plain(round.description) !== plain(feed.pair)) return { refused: 'other_pair' }
  if (round.answer <= 0n) return { refused: 'not_positive' }
  if (round.updatedS === 0n) return { refused: 'never_updated' }
  if (round.updatedS > headS + clocksDifferS) return { refused: 'from_the_future' }
  // By the chain's clock and by ours: a node that stands still would stop the chain's.
  const latestS = chain.minesOnDemand || headS > nowS ? headS : nowS
  if (latestS - round.updatedS > BigInt(feed.heartbeatS) + slackS) return { refused: 'stale' }
  return { believed: { numerator: round.answer, denominator: tenTo(round.decimals) } }
}

/** MATIC became POL one to one, and an aggregator keeps the name it was born with. */
const plain = (pair: string) =>
  pair
    .toUpperCase()
    .replaceAll(' ', '')
    .replace(/^MATIC\//, 'POL/')

const clocksDifferS = 60n
const graceS = 3_600n
/** A heartbeat is when the nodes begin a round; on a busy chain its answer takes minutes to be mined. */
const slackS = 300n

export const mostBehindS = ({ blockMs }: Chain) => BigInt(Math.max(300, Math.ceil(blockMs / 100)))

import { type } from 'arktype'
import type { Chain, Feed } from '../chains.ts'
import { blockAt } from '../rpc/block.ts'
import type { Call, Node } from '../rpc/rpc.ts'

/** An aggregator's last word. Times are seconds of the chain's own clock. */
export type Round = {
  readonly answer: bigint
  readonly startedS: bigint
  readonly updatedS: bigint
  readonly decimals: number
  readonly description: string
}

/** What the aggregators of a chain said in one block; undefined for one that gave no answer we can read. */
export type Reading = {
  readonly headS: bigint
  readonly rounds: ReadonlyMap<Feed, Round | undefined>
  readonly sequencer: SequencerRound | undefined
}

export type SequencerRound = Pick<Round, 'answer' | 'startedS'>

/**
 * The head first, then every aggregator at that block's hash: nothing read here can come from two blocks,
 * or from two nodes of which one is behind. Undefined when the node gave no answer.
 */
export const readFeeds = async (batch: Node['batch'], chain: Chain): Promise<Reading | undefined> => {
  const head = headOf((await ask(batch, [blockAt('latest')]))[0])
  if (head instanceof type.errors) return undefined
  const feeds = feedsOf(chain)
  const at = { blockHash: head.hash }
  const calls = feeds.flatMap(({ address }) => [
    callOf(address, selectors.latestRoundData, at),
    callOf(address, selectors.decimals, at),
    callOf(address, selectors.description, at),
  ])
  const sequencerCalls = chain.sequencerFeed ? [callOf(chain.sequencerFeed, selectors.latestRoundData, at)] : []
  const answers = await ask(batch, [...calls, ...sequencerCalls])
  return {
    headS: BigInt(head.timestamp),
    rounds: new Map(feeds.map((feed, n) => [feed, roundOf(answers.slice(n * 3, n * 3 + 3))])),
    sequencer: wordsOf(answers[calls.length]),
  }
}

export const feedsOf = ({ native, currencyFeeds }: Chain): readonly Feed[] =>
  native.feed ? [native.feed, ...currencyFeeds] : currencyFeeds

export const selectors = { latestRoundData: '0xfeaf968c', decimals: '0x313ce567', description: '0x7284e416' }

const callOf = (to: string, data: string, at: { readonly blockHash: string }): Call => ({
  method: 'eth_call',
  params: [{ to, data }, at],
})

/** That a node does not answer is a fact like any other: there is no price from it. */
const ask = (batch: Node['batch'], calls: readonly Call[]): Promise<readonly unknown[]> =>
  batch(calls, { timeoutMs: 3_000, mostBytes: 262_144 }).catch((): readonly unknown[] => [])

const headOf = type({ hash: '/^0x[0-9a-fA-F]{64}$/', timestamp: '/^0x[0-9a-fA-F]{1,16}$/' })

const roundOf = ([round, decimals, description]: readonly unknown[]): Round | undefined => {
  const words = wordsOf(round)
  const name = stringOf(description)
  const places = typeof decimals === 'string' && /^0x0{62}[0-9a-f]{2}$/i.test(decimals) ? Number(decimals) : undefined
  return words === undefined || name === undefined || places === undefined || places > 36
    ? undefined
    : { ...words, decimals: places, description: name }
}

/** (uint80 round, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound) */
const wordsOf = (data: unknown): Omit<Round, 'decimals' | 'description'> | undefined => {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{320}$/i.test(data)) return undefined
  const word = (n: number) => BigInt(`0x${data.slice(2 + n * 64, 66 + n * 64)}`)
  return { answer: BigInt.asIntN(256, word(1)), startedS: word(2), updatedS: word(3) }
}

const stringOf = (data: unknown): string | undefined => {
  const [, length, bytes] =
    (typeof data === 'string' && /^0x0{62}20([0-9a-f]{64})((?:[0-9a-f]{64}){0,4})$/i.exec(data)) || []
  return length === undefined || bytes === undefined
    ? undefined
    : Buffer.from(bytes, 'hex')
        .subarray(0, Math.min(Number(`0x${length}`), 128))
        .toString('latin1')
}

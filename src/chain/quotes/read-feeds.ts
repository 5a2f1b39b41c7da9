import type { Chain, Feed } from '../chain.ts'
import { type BlockHeader, blockCall, findHeader, readHeader } from '../rpc/block.ts'
import {
  agreedOn,
  type BatchOptions,
  type Comparable,
  isNodeError,
  type Rpc,
  type RpcAnswer,
  type RpcCall,
  RpcFault,
  RpcRefusal,
  resultOf,
} from '../rpc/rpc.ts'

/** The latest round of an aggregator. Times are seconds of the chain's clock. */
export type Round = {
  readonly answer: bigint
  readonly startedS: bigint
  readonly updatedS: bigint
  readonly decimals: number
  readonly description: string
}

export type SequencerRound = Pick<Round, 'answer' | 'startedS'>

/** Undefined where the answer cannot be parsed. */
export type Reported<T> = T | 'disagreed' | undefined

/** The rounds of all aggregators of a chain in one block, as two nodes agree (with one node, its answers). */
export type Reading = {
  readonly headS: bigint
  readonly rounds: ReadonlyMap<Feed, Reported<Round>>
  readonly sequencer: Reported<SequencerRound>
}

export type FeedNodes = Pick<Rpc, 'agreed' | 'both'>

/** Fewer than two nodes answered, or they have no block in common. */
export type NoReading = 'unreachable' | 'disagreed'

/**
 * Reads the heads of two nodes first, then every aggregator at the hash of the lower head, which both nodes have: all
 * values come from one block. Where that head is invented or too old, the higher head is used if two other nodes have
 * it.
 */
export const readFeeds = async (
  rpc: FeedNodes,
  chain: Chain,
  isTooOld: (headS: bigint) => boolean,
): Promise<Reading | NoReading> => {
  const asking = { rpc, deadline: performance.now() + MAX_TOTAL_MS }
  let old: Reading | undefined
  let failure: NoReading = 'unreachable'
  try {
    for (const head of await headsOf(asking)) {
      const reading = await readAt(asking, chain, head).catch(error => {
        if (!isNodeError(error)) throw error
        failure = error instanceof RpcFault && error.reason === 'behind' ? 'disagreed' : 'unreachable'
        return undefined
      })
      if (reading && !isTooOld(reading.headS)) return reading
      old ??= reading
    }
  } catch (error) {
    // No node answers: there is no price from this chain.
    if (!isNodeError(error)) throw error
  }
  return old ?? failure
}

type Asking = { readonly rpc: FeedNodes; readonly deadline: number }

/** The heads of two nodes, the lower one first: usually both nodes have that block. */
const headsOf = async ({ rpc, deadline }: Asking): Promise<readonly BlockHeader[]> => {
  const heads = await rpc.both([blockCall('latest')], ([block]) => readHeader(resultOf(block)), limitsFor(deadline))
  const isSame = (a: BlockHeader, b: BlockHeader) => a.hash === b.hash && a.timestamp === b.timestamp
  const different = heads.filter((head, n) => heads.findIndex(other => isSame(head, other)) === n)
  return different.sort((a, b) => a.number - b.number)
}

/** Throws an RpcFault `behind` where two nodes do not both have the block. */
const readAt = async (asking: Asking, chain: Chain, head: BlockHeader): Promise<Reading> => {
  const feeds = feedsOf(chain)
  const callsOf = (to: string, ...data: readonly string[]) => data.map(each => callOf(to, each, head))
  const { latestRoundData, decimals, description } = selectors
  const [rounds, [sequencer]] = await Promise.all([
    readEach(
      { ...asking, head, read: roundOf },
      feeds.map(({ address }) => callsOf(address, latestRoundData, decimals, description)),
    ),
    readEach(
      { ...asking, head, read: ([round]) => wordsOf(round) },
      chain.sequencerFeed === null ? [] : [callsOf(chain.sequencerFeed, latestRoundData)],
    ),
  ])
  return { headS: BigInt(head.timestamp), rounds: new Map(feeds.map((feed, n) => [feed, rounds[n]])), sequencer }
}

type AskingAt<T> = Asking & {
  readonly head: BlockHeader
  readonly read: (answers: readonly unknown[]) => T | undefined
}

/**
 * Reads all feeds in one batch, and each feed on its own where two nodes do not agree on all of them, so that a wrong
 * answer for one price removes no other price.
 */
const readEach = async <T extends Comparable>(
  asking: AskingAt<T>,
  questions: readonly (readonly RpcCall[])[],
): Promise<readonly Reported<T>[]> => {
  if (questions.length === 0) return []
  const answers = await readAgreed(asking, questions)
  if (answers !== 'disagreed' && answers !== undefined) return answers
  if (questions.length === 1) return [answers]
  return (await Promise.all(questions.map(each => readEach(asking, [each])))).flat()
}

/** Undefined where a node refuses. */
const readAgreed = async <T extends Comparable>(
  { rpc, deadline, head, read }: AskingAt<T>,
  questions: readonly (readonly RpcCall[])[],
): Promise<readonly (T | undefined)[] | 'disagreed' | undefined> => {
  let hasOtherBlock = false
  const pick = (answers: readonly RpcAnswer[]) => {
    const block = findHeader(resultOf(answers.at(-1)), { number: head.number })
    // A node with another timestamp for this block has another block.
    if (block?.hash !== head.hash || block.timestamp !== head.timestamp) {
      hasOtherBlock = true
      throw new RpcFault('behind', 'the node does not have the block')
    }
    const ofOne = ({ length }: readonly RpcCall[], n: number) =>
      answers.slice(n * length, (n + 1) * length).map(resultOf)
    return questions.map((calls, n) => read(ofOne(calls, n)) ?? null)
  }
  try {
    const rounds = agreedOn(await rpc.agreed([...questions.flat(), blockCall(head.number)], pick, limitsFor(deadline)))
    return rounds?.map(round => round ?? undefined) ?? 'disagreed'
  } catch (error) {
    if (error instanceof RpcRefusal && !hasOtherBlock) return undefined
    throw hasOtherBlock ? new RpcFault('behind') : error
  }
}

export const feedsOf = ({ native, currencyFeeds }: Chain): readonly Feed[] =>
  native.feed ? [native.feed, ...currencyFeeds] : currencyFeeds

export const selectors = { latestRoundData: '0xfeaf968c', decimals: '0x313ce567', description: '0x7284e416' }

const callOf = (to: string, data: string, { hash }: BlockHeader): RpcCall => ({
  method: 'eth_call',
  params: [{ to, data }, { blockHash: hash }],
})

/** A busy block contains thousands of transaction hashes. */
const limitsFor = (deadline: number): BatchOptions => ({
  timeoutMs: Math.min(3_000, deadline - performance.now()),
  maxBytes: 2 ** 20,
})

/** The limit for all requests together: customers wait for the result. */
const MAX_TOTAL_MS = 6_000

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

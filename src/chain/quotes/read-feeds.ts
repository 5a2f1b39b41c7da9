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

/** An aggregator's last word. Times are seconds of the chain's own clock. */
export type Round = {
  readonly answer: bigint
  readonly startedS: bigint
  readonly updatedS: bigint
  readonly decimals: number
  readonly description: string
}

export type SequencerRound = Pick<Round, 'answer' | 'startedS'>

/** Undefined for what gave no answer we can read. */
export type Told<T> = T | 'disagreed' | undefined

/** What the aggregators of a chain said in one block, as two of its nodes tell it (the one, where there is one). */
export type Reading = {
  readonly headS: bigint
  readonly rounds: ReadonlyMap<Feed, Told<Round>>
  readonly sequencer: Told<SequencerRound>
}

export type FeedNodes = Pick<Rpc, 'agreed' | 'both'>

/** Fewer than two nodes answered, or they have no block in common. */
export type NoReading = 'unreachable' | 'disagreed'

/**
 * The heads first, then every aggregator at the hash of the lower one, which both have: nothing read here can come from
 * two blocks. Who makes up a lower head, or stands still, is passed over where two others have the higher one.
 */
export const readFeeds = async (
  rpc: FeedNodes,
  chain: Chain,
  isTooOld: (headS: bigint) => boolean,
): Promise<Reading | NoReading> => {
  const asking = { rpc, deadline: performance.now() + longestMs }
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
    // That nobody answers is a fact like any other: there is no price from there.
    if (!isNodeError(error)) throw error
  }
  return old ?? failure
}

type Asking = { readonly rpc: FeedNodes; readonly deadline: number }

/** The heads of two, the lower one first: most often both have that. */
const headsOf = async ({ rpc, deadline }: Asking): Promise<readonly BlockHeader[]> => {
  const told = await rpc.both([blockCall('latest')], ([block]) => readHeader(resultOf(block)), within(deadline))
  const isSame = (a: BlockHeader, b: BlockHeader) => a.hash === b.hash && a.timestamp === b.timestamp
  const apart = told.filter((head, n) => told.findIndex(other => isSame(head, other)) === n)
  return apart.sort((a, b) => a.number - b.number)
}

/** Throws a fault that says `behind` where two do not both have the block. */
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
 * Questions of as many calls each: all at once, and one by one where two do not say the same of all, so that who lies
 * about one price takes no other away.
 */
const readEach = async <T extends Comparable>(
  asking: AskingAt<T>,
  questions: readonly (readonly RpcCall[])[],
): Promise<readonly Told<T>[]> => {
  if (questions.length === 0) return []
  const told = await readAlike(asking, questions)
  if (told !== 'disagreed' && told !== undefined) return told
  if (questions.length === 1) return [told]
  return (await Promise.all(questions.map(each => readEach(asking, [each])))).flat()
}

/** Undefined where a node refuses. */
const readAlike = async <T extends Comparable>(
  { rpc, deadline, head, read }: AskingAt<T>,
  questions: readonly (readonly RpcCall[])[],
): Promise<readonly (T | undefined)[] | 'disagreed' | undefined> => {
  let isApart = false
  const pick = (answers: readonly RpcAnswer[]) => {
    const block = findHeader(resultOf(answers.at(-1)), { number: head.number })
    // One that tells another time of the same block has another block.
    if (block?.hash !== head.hash || block.timestamp !== head.timestamp) {
      isApart = true
      throw new RpcFault('behind', 'it does not have the block')
    }
    const ofOne = ({ length }: readonly RpcCall[], n: number) =>
      answers.slice(n * length, (n + 1) * length).map(resultOf)
    return questions.map((calls, n) => read(ofOne(calls, n)) ?? null)
  }
  try {
    const told = agreedOn(await rpc.agreed([...questions.flat(), blockCall(head.number)], pick, within(deadline)))
    return told?.map(round => round ?? undefined) ?? 'disagreed'
  } catch (error) {
    if (error instanceof RpcRefusal && !isApart) return undefined
    throw isApart ? new RpcFault('behind') : error
  }
}

export const feedsOf = ({ native, currencyFeeds }: Chain): readonly Feed[] =>
  native.feed ? [native.feed, ...currencyFeeds] : currencyFeeds

export const selectors = { latestRoundData: '0xfeaf968c', decimals: '0x313ce567', description: '0x7284e416' }

const callOf = (to: string, data: string, { hash }: BlockHeader): RpcCall => ({
  method: 'eth_call',
  params: [{ to, data }, { blockHash: hash }],
})

/** A busy block names thousands of transactions. */
const within = (deadline: number): BatchOptions => ({
  timeoutMs: Math.min(3_000, deadline - performance.now()),
  maxBytes: 2 ** 20,
})

/** However many questions it takes: customers wait for it. */
const longestMs = 6_000

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

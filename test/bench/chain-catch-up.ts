import type { Block } from '../../src/chain/chain-log.ts'
import { startChainState } from '../../src/chain/watch/chain-state.ts'
import { readNext } from '../../src/chain/watch/read.ts'
import type { ChainSource } from '../../src/chain/watch/watched-chain.ts'
import type { Bench } from './bench.ts'
import type { ChainSizes } from './chain.ts'
import { type ChainInstance, issueAddresses, openChainInstance } from './chain-instance.ts'
import { type Requests, record, repeatByViem, repeatRaw } from './chain-loops.ts'
import { type BenchNode, buildBlocks, openBenchNode, payeesOf } from './chain-node.ts'
import { openPonder, type Ponder } from './chain-ponder.ts'
import { bestOf, perSecond, type Report, times } from './promises.ts'

/** Blocks per second of each. The floor is measured before and after ours; the faster one counts. */
type Round = {
  readonly raw: number
  readonly viem: number
  readonly headers: number
  readonly ranges: number
  readonly ponder: number | undefined
}

/** How fast a chain is read after a long pause: with every header, or by ranges of final blocks. */
export const promiseCatchUp = async (bench: Bench, sizes: ChainSizes): Promise<void> => {
  const { server, print, report } = bench
  await using node = await openBenchNode()
  await buildBlocks(node, sizes, print)
  // Once with no final block, once with all blocks final.
  await using headers = await openChainInstance(server, node, 1_000_000)
  const ranges = { ...headers, chain: { ...headers.chain, confirmations: 1 } }
  await issueAddresses(headers, payeesOf(sizes))
  const peer = sizes.peerRounds > 0 ? await openPonder(bench) : 'it is not measured in this run'
  await using ponder = typeof peer === 'string' ? undefined : peer
  const asked = await record(node.url, url => readAll(headers, sizes, headers.sourceAt(url)))
  await readAll(ranges, sizes)
  await repeatByViem(node.url, asked)
  print(`catch-up, ${asked.length} requests to check every header of ${sizes.blocks} blocks`)

  const rounds: Round[] = []
  for (let n = 1; n <= sizes.rounds; n++) {
    const round = await measureRound(
      { node, headers, ranges, asked, ponder: n <= sizes.peerRounds ? ponder : undefined },
      sizes,
    )
    print(`catch-up, round ${n} of ${sizes.rounds}, blocks: ${format(round)}`)
    rounds.push(round)
  }
  judge(report, rounds, typeof peer === 'string' ? peer : undefined)
}

type Contestants = {
  readonly node: BenchNode
  readonly headers: ChainInstance
  readonly ranges: ChainInstance
  readonly asked: Requests
  readonly ponder: Ponder | undefined
}

const measureRound = async (
  { node, headers, ranges, asked, ponder }: Contestants,
  sizes: ChainSizes,
): Promise<Round> => {
  const rateOf = async (work: () => Promise<number | undefined>): Promise<number> => {
    const began = performance.now()
    const tookMs = await work()
    return (sizes.blocks * 1_000) / (tookMs ?? performance.now() - began)
  }
  const raw = () => rateOf(async () => void (await repeatRaw(node.url, asked)))
  const before = await raw()
  const byHeaders = await rateOf(() => readAll(headers, sizes))
  const after = await raw()
  const viem = await rateOf(async () => void (await repeatByViem(node.url, asked)))
  const byRanges = await rateOf(() => readAll(ranges, sizes))
  const { url, token } = node
  const indexed = ponder && (await rateOf(() => ponder.index({ url, token, transfers: sizes.transfers })))
  return { raw: Math.max(before, after), viem, headers: byHeaders, ranges: byRanges, ponder: indexed }
}

/** From the first block to the head, in as many steps as needed. Returns the milliseconds of the reading. */
const readAll = async (instance: ChainInstance, sizes: ChainSizes, source = instance.source): Promise<number> => {
  const { world, chain } = instance
  await world.sql`truncate chain_cursors, chain_blocks, transfers, unsettled_payments`
  await startChainState(world.sql, chain.id, await firstBlock(source))
  const began = performance.now()
  while ((await readNext(world.sql, chain, source)) !== 'idle');
  const tookMs = performance.now() - began
  const [done] = await world.sql<{ number: string; transfers: number; blocks: number }[]>`
    select number, (select count(*)::integer from transfers) as transfers,
      (select count(*)::integer from chain_blocks) as blocks
    from chain_cursors`
  const kept = chain.confirmations > sizes.blocks ? sizes.blocks + 1 : 1
  if (Number(done?.number) !== sizes.blocks || done?.transfers !== sizes.transfers || done.blocks !== kept)
    throw new Error(`the chain was not read: ${JSON.stringify(done)}`)
  return tookMs
}

const firstBlock = async (source: ChainSource): Promise<Block> => {
  const [block] = await source.headers([0])
  if (!block) throw new Error('the chain has no first block')
  return block
}

/** Each ratio is that of one round, and the best round counts; the peer is compared with its best rate of all rounds. */
const judge = (report: Report, rounds: readonly Round[], absence: string | undefined): void => {
  const against = (promise: string, ours: 'headers' | 'ranges', theirs: (round: Round) => number, bound: number) => {
    const best = bestOf(rounds, round => round[ours] / theirs(round), 'higher')
    const from = `${perSecond(best[ours])} against ${perSecond(theirs(best))}`
    report.atLeast(promise, best[ours] / theirs(best), bound, { as: times, from })
  }
  against('catch-up with every header against a raw batch loop of the same calls', 'headers', ({ raw }) => raw, 0.8)
  against('catch-up with every header against viem, batched, by the same calls', 'headers', ({ viem }) => viem, 2)
  const byRanges = 'catch-up by final ranges against ponder without its limit'
  const byHeaders = 'catch-up with every header against ponder without its limit'
  const indexed = rounds.flatMap(({ ponder }) => ponder ?? [])
  if (indexed.length === 0) {
    for (const promise of [byRanges, byHeaders]) report.skip(promise, absence ?? 'it was not measured')
    return
  }
  against(byRanges, 'ranges', () => Math.max(...indexed), 10)
  against(byHeaders, 'headers', () => Math.max(...indexed), 4)
}

const format = ({ raw, viem, headers, ranges, ponder }: Round): string =>
  [
    `every header ${perSecond(headers)}`,
    `raw batch loop ${perSecond(raw)} (${times(headers / raw)})`,
    `viem ${perSecond(viem)} (${times(headers / viem)})`,
    `final ranges ${perSecond(ranges)}`,
    ...(ponder === undefined ? [] : [`ponder ${perSecond(ponder)} (${times(ranges / ponder)})`]),
  ].join(', ')

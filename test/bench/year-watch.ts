import { openRpc } from '../../src/chain/rpc/open.ts'
import { openSource } from '../../src/chain/watch/source.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openInstance } from '../actors/lamps.ts'
import type { BenchOutput } from './bench.ts'
import { addressOf, type BenchNode } from './chain-node.ts'
import { turn } from './chain-waiting.ts'
import { bestOf, median, milliseconds, thousands, times } from './promises.ts'
import { chain } from './year-service.ts'

export type YearWatchSizes = {
  readonly watchRounds: number
  readonly watchedBlocks: number
  readonly strangers: number
}

type Watched = { readonly url: string; readonly payments: number }

/** The work of one poll that finds a block with transfers to strangers. Both read the same chain. */
export const promiseYearWatch = async (
  { print, report }: BenchOutput,
  {
    many,
    few,
    node,
    sizes,
  }: { readonly many: Watched; readonly few: Watched; readonly node: BenchNode; readonly sizes: YearWatchSizes },
): Promise<void> => {
  await using ofMany = await openWatched(many, node)
  await using ofFew = await openWatched(few, node)
  const rounds: { readonly many: number; readonly few: number }[] = []
  let mined = 0
  // The first round warms up.
  for (let n = 0; n <= sizes.watchRounds; n++) {
    const costs = { many: [] as number[], few: [] as number[] }
    for (let block = 0; block < sizes.watchedBlocks; block++) {
      mined++
      await node.pay(
        Array.from({ length: sizes.strangers }, (_, at) => addressOf('stranger', mined, at)),
        1_000n,
      )
      await node.mine()
      for (const which of block % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const))
        costs[which].push(await turn(which === 'few' ? ofFew : ofMany))
    }
    const round = { many: median(costs.many), few: median(costs.few) }
    if (n === 0) continue
    print(`a block, round ${n}: ${milliseconds(round.many)} against ${milliseconds(round.few)}`)
    rounds.push(round)
  }
  const best = bestOf(rounds, round => round.many / round.few, 'lower')
  report.atMost(
    `a block with ${sizes.strangers} transfers to strangers, with ${thousands(many.payments)} payments against ${thousands(few.payments)}`,
    best.many / best.few,
    1.3,
    { as: times, from: `${milliseconds(best.many)} against ${milliseconds(best.few)}` },
  )
}

const openWatched = async ({ url }: Watched, node: BenchNode) => {
  const { world: outside, actors, close } = await openInstance(url, { kinds })
  const world = { ...outside, actors }
  const tokens = [node.token]
  const rpc = openRpc({ chainId: chain.id, urls: [node.url] }, world)
  return {
    ...{ world, chain: { id: chain.id, tokens, confirmations: 40 }, source: openSource(rpc, tokens) },
    [Symbol.asyncDispose]: async () => {
      await actors.idle()
      await close()
    },
  }
}

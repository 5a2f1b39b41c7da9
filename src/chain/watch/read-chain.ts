import type { Services } from '../../actors/services.ts'
import { findCursor, restartChainState, rewindBlocks, storeEpoch } from './chain-state.ts'
import { DeepReorganization, findFork } from './fork.ts'
import { type ReadResult, readNext } from './read.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

export type WatchedSandbox = WatchedChain & {
  /**
   * Only of the sandbox. A changed epoch means that the chain may not continue from where it was; undefined while it is
   * not known.
   */
  readonly epoch?: (() => string | undefined) | undefined
}

/**
 * A chain that was replaced is read from so many blocks below its head: it may contain payments from before it was
 * read. Transfers that are recorded already are not recorded twice.
 */
const MAX_BLOCKS_AGAIN = 10_000

/**
 * Reads a chain. The sandbox chain may come back empty, at an earlier block or as another chain, and is read in any
 * case.
 */
export const readChain = async (world: Services, chain: WatchedSandbox, source: ChainSource): Promise<ReadResult> => {
  const { sql, log } = world
  if (!chain.epoch) {
    const step = await readNext(sql, chain, source, { log })
    if (step === 'restarted') log.warn({ chain: chain.id }, 'chain reading restarted, its first block was reorganized')
    return step
  }
  const epoch = chain.epoch()
  const state = await findCursor(sql, chain.id)
  if (state && epoch !== undefined && state.epoch !== epoch) {
    const fork = await findFork(sql, chain, source)
    if (!fork) return restart(world, chain, source, epoch)
    if (fork.number < state.number) await rewindBlocks(sql, chain.id, state, fork.number)
    await storeEpoch(sql, chain.id, epoch)
  }
  try {
    return await readNext(sql, chain, source, { log })
  } catch (error) {
    if (!(error instanceof DeepReorganization)) throw error
    return restart(world, chain, source, epoch ?? null)
  }
}

const restart = async (
  { sql, log }: Services,
  chain: WatchedSandbox,
  source: ChainSource,
  epoch: string | null,
): Promise<ReadResult> => {
  const state = await findCursor(sql, chain.id)
  const head = await source.head()
  const [block] = await source.headers([Math.max(0, head - MAX_BLOCKS_AGAIN)])
  if (!state || !block) return 'idle'
  const payments = await restartChainState(sql, chain.id, state, { block, epoch })
  log.warn({ chain: chain.id, from: block.number, payments }, 'sandbox chain replaced, reading restarted')
  return 'rewound'
}

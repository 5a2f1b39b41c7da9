import type { Services } from '../../actors/services.ts'
import { beginBooksAnew, findCursor, keepEpoch, rewindBlocks } from './books.ts'
import { DeepReorganization, findFork } from './fork.ts'
import { type ReadResult, readNext } from './read.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

export type WatchedSandbox = WatchedChain & {
  /**
   * Of the sandbox alone. Another one says that the chain may not have gone on from where it was; undefined while
   * that is not known.
   */
  readonly epoch?: (() => string | undefined) | undefined
}

/**
 * A chain that came back as another one is read from so many blocks below its head: it may hold payments that were
 * made before anybody looked. What the books have of it is not written down twice.
 */
const MOST_AGAIN = 10_000

/** Reads on, and of the sandbox whatever chain is there: it is a toy, and may come back empty, old or other. */
export const readNextOf = async (world: Services, chain: WatchedSandbox, source: ChainSource): Promise<ReadResult> => {
  const { sql, log } = world
  if (!chain.epoch) {
    const step = await readNext(sql, chain, source, { log })
    if (step === 'begun anew') log.warn({ chain: chain.id }, 'chain reading restarted, its first block was reorganized')
    return step
  }
  const epoch = chain.epoch()
  const books = await findCursor(sql, chain.id)
  if (books && epoch !== undefined && books.epoch !== epoch) {
    const fork = await findFork(sql, chain, source)
    if (!fork) return beginAnew(world, chain, source, epoch)
    if (fork.number < books.number) await rewindBlocks(sql, chain.id, books, fork.number)
    await keepEpoch(sql, chain.id, epoch)
  }
  try {
    return await readNext(sql, chain, source, { log })
  } catch (error) {
    if (!(error instanceof DeepReorganization)) throw error
    return beginAnew(world, chain, source, epoch ?? null)
  }
}

const beginAnew = async (
  { sql, log }: Services,
  chain: WatchedSandbox,
  source: ChainSource,
  epoch: string | null,
): Promise<ReadResult> => {
  const books = await findCursor(sql, chain.id)
  const head = await source.head()
  const [block] = await source.headers([Math.max(0, head - MOST_AGAIN)])
  if (!books || !block) return 'idle'
  const payments = await beginBooksAnew(sql, chain.id, books, { block, epoch })
  log.warn({ chain: chain.id, from: block.number, payments }, 'sandbox chain replaced, reading restarted')
  return 'rewound'
}

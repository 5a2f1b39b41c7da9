import type { Sql } from '../../postgres/connect.ts'
import { type Books, findCursor } from './books.ts'
import type { ChainSource } from './watched-chain.ts'

export type PulseOptions = {
  readonly id: number
  readonly source: Pick<ChainSource, 'look'>
  /** How often the chain has a block; undefined where it has one only when there is something to put in. */
  readonly blockMs?: number
  /** How many blocks make one final, or about how many that takes. */
  readonly confirmations: number
  /** For how long its books may stand still while its nodes answer. */
  readonly stillMs: number
}

export type ProgressMonitor = {
  /** Before each turn of reading: what keeps the books where they are, if they have been there for too long. */
  feel(): Promise<string | undefined>
  /** What is to be said of blocks that do not become final, when nothing else is. */
  late(): string | undefined
  /** The turn was none of reading, or failed, which is told by itself: its time does not count. */
  skip(): void
}

/** Nor is a slow chain asked why before so many of its blocks should have come. */
const BLOCKS = 25

/** So many times as many blocks as it usually takes are too many that are not final. */
const LATE = 3

/** Over so many turns at the least: a process that slept for an hour has not read for one turn alone. */
const TURNS = 5

/**
 * Notices that a chain is not read on, or that nothing of it becomes final, whatever the cause, although nothing fails:
 * nodes that know less than the books do, or that do not tell what a block holds, are waited for as any that is a
 * moment behind.
 */
export const openPulse = (sql: Sql, { id, source, blockMs, confirmations, stillMs }: PulseOptions): ProgressMonitor => {
  const mostMs = Math.max(stillMs, BLOCKS * (blockMs ?? 0))
  let highest: Books | undefined
  let felt: number | undefined
  let stoodMs = 0
  let final = 0
  let unfinalMs = 0
  let reason: string | undefined

  const begin = () => {
    stoodMs = 0
    reason = undefined
  }

  return {
    feel: async () => {
      const books = await findCursor(sql, id)
      const now = performance.now()
      const passedMs = felt === undefined ? 0 : Math.min(now - felt, mostMs / TURNS)
      felt = now
      const isLate = books && books.finalNumber === final && books.number - final >= LATE * confirmations
      unfinalMs = isLate ? unfinalMs + passedMs : 0
      final = books?.finalNumber ?? 0
      stoodMs += passedMs
      if (!books || !highest || hasMoved(highest, books)) {
        highest = books
        begin()
        return undefined
      }
      if (stoodMs < mostMs) return undefined
      // As it was a turn ago: a block that has come since is for this one to read.
      const last = reason
      reason = standstill(books, await source.look(books))
      if (reason !== NO_BLOCK || blockMs !== undefined) return last
      begin()
      return undefined
    },
    late: () => (unfinalMs < mostMs ? undefined : NOTHING_FINAL),
    skip: () => {
      felt = undefined
    },
  }
}

/** Higher than ever, as going back and forth is none; or the books have begun anew. */
const hasMoved = (highest: Books, { number, finalNumber }: Books): boolean =>
  number > highest.number || finalNumber < highest.finalNumber

const NO_BLOCK = 'its nodes have had no new block for long: look at them, or give it another RPC URL'

const NOTHING_FINAL = 'none of its new blocks has become final for long: look at its nodes, or give it another RPC URL'

const standstill = ({ number, hash }: Books, now: Awaited<ReturnType<ChainSource['look']>>): string => {
  if (now.hash === undefined || now.head < number)
    return 'its nodes are behind what was read already: look at them, or give it another RPC URL'
  if (now.head > number || now.hash !== hash)
    return 'its nodes do not tell its next block whole, or not alike: give it another RPC URL'
  return NO_BLOCK
}

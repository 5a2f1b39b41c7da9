import type { Sql } from '../../postgres/connect.ts'
import { type ChainState, findCursor } from './chain-state.ts'
import type { ChainSource } from './watched-chain.ts'

export type ProgressMonitorOptions = {
  readonly id: number
  readonly source: Pick<ChainSource, 'headAndBlock'>
  /** Time between blocks; undefined where a block is mined only for a transaction. */
  readonly blockMs?: number
  /** The number of blocks until finality, or an estimate of it. */
  readonly confirmations: number
  /** How long the cursor may stay where it is while the nodes answer. */
  readonly maxIdleMs: number
}

export type ProgressMonitor = {
  /** Called before each turn of reading. Returns the reason why the cursor has not moved for too long, if so. */
  check(): Promise<string | undefined>
  /** The reason to report while blocks do not become final, if nothing else is reported. */
  lateFinality(): string | undefined
  /** The turn did not read or failed, which is reported elsewhere: its time does not count. */
  skip(): void
}

/** On a slow chain, so many blocks must be overdue. */
const OVERDUE_BLOCKS = 25

/** Finality is overdue at so many times the usual number of blocks. */
const LATE_FACTOR = 3

/** The time must be spread over at least so many turns: a process that was suspended for an hour missed only one. */
const MIN_TURNS = 5

/**
 * Detects that the cursor of a chain does not move, or that no block becomes final, although nothing fails. Nodes that
 * are behind the recorded state, or that do not return whole blocks, raise no error: they are waited for.
 */
export const openProgressMonitor = (
  sql: Sql,
  { id, source, blockMs, confirmations, maxIdleMs }: ProgressMonitorOptions,
): ProgressMonitor => {
  const mostMs = Math.max(maxIdleMs, OVERDUE_BLOCKS * (blockMs ?? 0))
  let highest: ChainState | undefined
  let checkedAt: number | undefined
  let idleMs = 0
  let final = 0
  let unfinalMs = 0
  let reason: string | undefined

  const restart = () => {
    idleMs = 0
    reason = undefined
  }

  return {
    check: async () => {
      const state = await findCursor(sql, id)
      const now = performance.now()
      const passedMs = checkedAt === undefined ? 0 : Math.min(now - checkedAt, mostMs / MIN_TURNS)
      checkedAt = now
      const isLate = state && state.finalNumber === final && state.number - final >= LATE_FACTOR * confirmations
      unfinalMs = isLate ? unfinalMs + passedMs : 0
      final = state?.finalNumber ?? 0
      idleMs += passedMs
      if (!state || !highest || hasMoved(highest, state)) {
        highest = state
        restart()
        return undefined
      }
      if (idleMs < mostMs) return undefined
      // The reason of the turn before is returned: a block that arrived since is read in this turn.
      const last = reason
      reason = reasonOf(state, await source.headAndBlock(state))
      if (reason !== NO_BLOCK || blockMs !== undefined) return last
      restart()
      return undefined
    },
    lateFinality: () => (unfinalMs < mostMs ? undefined : NOTHING_FINAL),
    skip: () => {
      checkedAt = undefined
    },
  }
}

/** The cursor is higher than ever before, so that moving back and forth does not count; or reading was restarted. */
const hasMoved = (highest: ChainState, { number, finalNumber }: ChainState): boolean =>
  number > highest.number || finalNumber < highest.finalNumber

const NO_BLOCK = 'its nodes have had no new block for a long time: check them, or add another RPC URL'

const NOTHING_FINAL = 'no block has become final for a long time: check its nodes, or add another RPC URL'

const reasonOf = ({ number, hash }: ChainState, now: Awaited<ReturnType<ChainSource['headAndBlock']>>): string => {
  if (now.hash === undefined || now.head < number)
    return 'its nodes are behind what was read before: check them, or add another RPC URL'
  if (now.head > number || now.hash !== hash)
    return 'its nodes return its next block incompletely or differently: add another RPC URL'
  return NO_BLOCK
}

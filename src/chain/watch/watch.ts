import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../actors/services.ts'
import { isInShare, type WorkerShare } from '../../workers/share.ts'
import { describeError } from '../rpc/describe-error.ts'
import { NoFinality } from '../rpc/finality.ts'
import { type Outage, openOutage } from '../rpc/outage.ts'
import { isNodeError } from '../rpc/rpc.ts'
import { runChainLoops } from './chain-loops.ts'
import { isMovedCursor } from './chain-state.ts'
import { compareSeenTransfers } from './compare-seen-transfers.ts'
import { deepenPayments } from './depth.ts'
import { finalizeNext } from './finalize.ts'
import { openPause } from './interruptible-pause.ts'
import { passInvoiceTimes } from './invoice-times.ts'
import { watchBalances } from './native/watch-balances.ts'
import { openProgressMonitor } from './progress-monitor.ts'
import { readChain, type WatchedSandbox } from './read-chain.ts'
import { settlePayments } from './settle.ts'
import type { ChainSource } from './watched-chain.ts'
import { endUnpicked, endWindows } from './windows.ts'

export type Watched = WatchedSandbox & {
  readonly pollMs: number
  /** Time between blocks; undefined where a block is mined only for a transaction. */
  readonly blockMs?: number
  readonly source: ChainSource
}

export type WatchOptions = {
  readonly chains: readonly Watched[]
  readonly share: WorkerShare
  /** How long the cursor of a chain may stay where it is, while its nodes answer, before that is reported. */
  readonly maxIdleMs?: number
  /** How long a second node is waited for before a window ends by the answers of one node alone. */
  readonly outageMs?: number
}

export type Watch = {
  /** What is wrong with each chain, in a few words. Chains without problems are not listed. */
  troubles(): ReadonlyMap<number, string>
  /** Reads the chain before its turn, because there may be something new. */
  wake(chainId: number): void
  stop(): Promise<void>
}

const DISAGREE = 'its nodes do not agree on what is final'

/** The longest pause between failures. */
const MAX_PAUSE_MS = 30_000

/** After so much reading, windows and finality are handled: a chain may always have another block. */
const READING_MS = 1_000

/** How often payments without an asset and the times of invoices are checked. */
const UNPICKED_MS = 1_000

type Reading = {
  readonly outage: Outage
  /** Called after each step that read something. */
  readonly moved: () => void
}

type Turn = { readonly trouble?: string | undefined; readonly isBehind?: boolean }

/** Reads chains for as long as it runs, each in its own loop: a chain in trouble does not affect the others. */
export const watchChains = (
  world: Services,
  { chains, share, maxIdleMs = 5 * 60_000, outageMs = 2 * 60_000 }: WatchOptions,
): Watch => {
  const stopping = new AbortController()
  const troubles = new Map<number, string>()
  const { log } = world

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})
  const pauses = new Map(chains.map(({ id }) => [id, openPause(stopping.signal)]))

  /**
   * Returns whether there are more blocks, and the error that ended the reading. What was read before the error is
   * handled all the same.
   */
  const readBlocks = async (chain: Watched, moved: () => void): Promise<{ isBehind: boolean; refused?: unknown }> => {
    const until = performance.now() + READING_MS
    for (let count = 0; performance.now() < until && !stopping.signal.aborted; count++) {
      try {
        if ((await readChain(world, chain, chain.source)) === 'idle') return { isBehind: false }
      } catch (refused) {
        if (count === 0) throw refused
        return { isBehind: false, refused }
      }
      moved()
      await applyTransfers()
    }
    return { isBehind: true }
  }

  /** Returns why blocks do not become final, and whether there are more blocks. */
  const readTurn = async (chain: Watched, { outage, moved }: Reading): Promise<Turn> => {
    const { isBehind, refused } = await readBlocks(chain, moved)
    if (stopping.signal.aborted) return {}
    // First, because it needs no second node: a window ends when its chain has been read past it.
    while ((await endWindows(world, chain.id, { ...chain, outage })) > 0) if (stopping.signal.aborted) return {}
    const trouble = await finalize(chain)
    await applyTransfers()
    if (refused !== undefined) throw refused
    return { trouble, isBehind }
  }

  /** Finality takes two nodes, reading takes one: while one is down, transfers are still seen. */
  const finalize = async (chain: Watched): Promise<string | undefined> => {
    try {
      const agreed = await finalizeNext(world.sql, chain, chain.source, log)
      await applyTransfers()
      while ((await deepenPayments(world.sql, chain, chain.source)) > 0) await applyTransfers()
      return agreed ? undefined : DISAGREE
    } catch (error) {
      if (!isNodeError(error) && !(error instanceof NoFinality)) throw error
      return describeError(error)
    }
  }

  const applyTransfers = async (): Promise<void> => {
    const { signal } = stopping
    while ((await settlePayments(world, { signal })) > 0) if (signal.aborted) return
  }

  const setTrouble = (chain: Watched, trouble: string | undefined): void => {
    if (trouble === undefined) {
      troubles.delete(chain.id)
      return
    }
    if (troubles.get(chain.id) !== trouble) log.warn({ chain: chain.id, trouble }, 'chain degraded')
    troubles.set(chain.id, trouble)
  }

  const watch = async (chain: Watched): Promise<void> => {
    let disagreements = 0
    const progress = openProgressMonitor(world.sql, { ...chain, maxIdleMs })
    let failures = 0
    const moved = () => {
      if (failures > 0) log.info({ chain: chain.id }, 'chain reading resumed')
      failures = 0
    }
    const reading: Reading = { outage: openOutage(outageMs), moved }
    while (!stopping.signal.aborted) {
      let idleReason: string | undefined
      let isBehind = false
      try {
        const mine = isInShare(chain.id, share)
        if (mine) idleReason = await progress.check()
        else progress.skip()
        const turn: Turn = mine ? await readTurn(chain, reading) : {}
        const { trouble } = turn
        isBehind = turn.isBehind ?? false
        disagreements = trouble === DISAGREE ? disagreements + 1 : 0
        moved()
        // The chain may have been reorganized between two requests. The next turn shows it.
        const isPassing = disagreements === 1
        setTrouble(chain, idleReason ?? (isPassing ? undefined : trouble) ?? progress.lateFinality())
      } catch (error) {
        // Another process read the same blocks first: no problem, unless no process makes progress.
        if (isMovedCursor(error)) setTrouble(chain, idleReason ?? troubles.get(chain.id))
        else {
          failures++
          progress.skip()
          setTrouble(chain, describeError(error))
        }
      }
      const grown = chain.pollMs * 2 ** Math.min(failures, 10)
      if (isBehind) continue
      // After a failure, submitted transactions do not shorten the pause.
      if (failures === 0) await pauses.get(chain.id)?.wait(chain.pollMs)
      else await pause(Math.min(grown, MAX_PAUSE_MS))
    }
  }

  /** Ends windows of payments without an asset. Runs in one of the workers; running in two is harmless. */
  const watchUnpicked = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        if (share().position === 0) while ((await endUnpicked(world)) > 0) if (stopping.signal.aborted) return
        failures = 0
      } catch (err) {
        if (failures++ === 0) log.error({ err }, 'expiry of payments without an asset failed, retrying')
      }
      await pause(UNPICKED_MS)
    }
  }

  /** Makes invoices overdue and sends their reminders. Runs in one of the workers; running in two is harmless. */
  const watchInvoices = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        if (share().position === 0) while ((await passInvoiceTimes(world)) > 0) if (stopping.signal.aborted) return
        failures = 0
      } catch (err) {
        if (failures++ === 0) log.error({ err }, 'due dates of invoices not handled, retrying')
      }
      await pause(UNPICKED_MS)
    }
  }

  const watching = Promise.all([...chains.map(watch), watchUnpicked(), watchInvoices()])
  const balances = watchBalances(world, { chains, share, outageMs })
  const agreeing = runChainLoops(
    world,
    { chains, share, failureMessage: 'comparison of transfers between nodes failed, retrying' },
    ({ id, source }) => compareSeenTransfers(world.sql, id, source),
  )
  return {
    troubles: () => new Map([...balances.troubles(), ...troubles]),
    wake: chainId => pauses.get(chainId)?.interrupt(),
    stop: async () => {
      stopping.abort()
      await Promise.all([watching, balances.stop(), agreeing.stop()])
    },
  }
}

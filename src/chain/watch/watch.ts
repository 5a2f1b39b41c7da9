import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../actors/services.ts'
import { isInShare, type WorkerShare } from '../../workers/share.ts'
import { describeError } from '../rpc/describe-error.ts'
import { NoFinality } from '../rpc/finality.ts'
import { type Outage, openOutage } from '../rpc/outage.ts'
import { isNodeError } from '../rpc/rpc.ts'
import { agreeOnTransfers } from './agree-on-transfers.ts'
import { besideReading } from './beside.ts'
import { isMovedCursor } from './books.ts'
import { watchCoins } from './coins/watch.ts'
import { deepenPayments } from './depth.ts'
import { finalizeNext } from './finalize.ts'
import { openPulse } from './pulse.ts'
import { openRest } from './rest.ts'
import { readNextOf, type WatchedSandbox } from './sandbox-books.ts'
import { settlePayments } from './settle.ts'
import type { ChainSource } from './watched-chain.ts'
import { endUnpicked, endWindows } from './windows.ts'

export type Watched = WatchedSandbox & {
  readonly pollMs: number
  /** How often it has a block; undefined where it has one only when there is something to put in. */
  readonly blockMs?: number
  readonly source: ChainSource
}

export type WatchOptions = {
  readonly chains: readonly Watched[]
  readonly share: WorkerShare
  /** For how long a chain may not be read on while its nodes answer before that is trouble. */
  readonly stillMs?: number
  /** How long a second node is waited for before a window ends by what one alone tells. */
  readonly awayMs?: number
}

export type Watch = {
  /** What is wrong with a chain, in a few words; none is here that is read as it should be. */
  troubles(): ReadonlyMap<number, string>
  /** Somebody says that there is something to be read: it is looked for before its turn. */
  wake(chainId: number): void
  stop(): Promise<void>
}

const DISAGREE = 'its nodes do not agree on what is final'

/** The pause after so many failures in a row, at most. */
const LONGEST_PAUSE_MS = 30_000

/** So long blocks are read before what they are for is seen to: a chain may always have another one when one is read. */
const READING_MS = 1_000

/** How often windows are looked for that end by the clock. */
const UNPICKED_MS = 1_000

type Reading = {
  readonly absence: Outage
  /** Told of each step that got on. */
  readonly moved: () => void
}

type Turn = { readonly trouble?: string | undefined; readonly isBehind?: boolean }

/** Reads chains for as long as it runs, each by itself: one's trouble is no other's. */
export const watchChains = (
  world: Services,
  { chains, share, stillMs = 5 * 60_000, awayMs = 2 * 60_000 }: WatchOptions,
): Watch => {
  const stopping = new AbortController()
  const troubles = new Map<number, string>()
  const { log } = world

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})
  const rests = new Map(chains.map(({ id }) => [id, openRest(stopping.signal)]))

  /** Answers whether there are more to read, and what kept them from it: what was read before is seen to all the same. */
  const readBlocks = async (chain: Watched, moved: () => void): Promise<{ isBehind: boolean; refused?: unknown }> => {
    const until = performance.now() + READING_MS
    for (let count = 0; performance.now() < until && !stopping.signal.aborted; count++) {
      try {
        if ((await readNextOf(world, chain, chain.source)) === 'idle') return { isBehind: false }
      } catch (refused) {
        if (count === 0) throw refused
        return { isBehind: false, refused }
      }
      moved()
      await tell()
    }
    return { isBehind: true }
  }

  /** Answers what keeps blocks from becoming final, and whether there are more to read. */
  const readOn = async (chain: Watched, { absence, moved }: Reading): Promise<Turn> => {
    const { isBehind, refused } = await readBlocks(chain, moved)
    if (stopping.signal.aborted) return {}
    // Before anything of this can fail: to end a window, a chain need be read and nothing more.
    while ((await endWindows(world, chain.id, { ...chain, absence })) > 0) if (stopping.signal.aborted) return {}
    const trouble = await finalize(chain)
    await tell()
    if (refused !== undefined) throw refused
    return { trouble, isBehind }
  }

  /** It takes two nodes, and reading one: whoever is away keeps nothing from being seen. */
  const finalize = async (chain: Watched): Promise<string | undefined> => {
    try {
      const agreed = await finalizeNext(world.sql, chain, chain.source, log)
      await tell()
      while ((await deepenPayments(world.sql, chain, chain.source)) > 0) await tell()
      return agreed ? undefined : DISAGREE
    } catch (error) {
      if (!isNodeError(error) && !(error instanceof NoFinality)) throw error
      return describeError(error)
    }
  }

  const tell = async (): Promise<void> => {
    const { signal } = stopping
    while ((await settlePayments(world, { signal })) > 0) if (signal.aborted) return
  }

  const note = (chain: Watched, trouble: string | undefined): void => {
    if (trouble === undefined) {
      troubles.delete(chain.id)
      return
    }
    if (troubles.get(chain.id) !== trouble) log.warn({ chain: chain.id, trouble }, 'chain degraded')
    troubles.set(chain.id, trouble)
  }

  const watch = async (chain: Watched): Promise<void> => {
    let disagreements = 0
    const pulse = openPulse(world.sql, { ...chain, stillMs })
    let failures = 0
    const moved = () => {
      if (failures > 0) log.info({ chain: chain.id }, 'chain reading resumed')
      failures = 0
    }
    const reading: Reading = { absence: openOutage(awayMs), moved }
    while (!stopping.signal.aborted) {
      let still: string | undefined
      let isBehind = false
      try {
        const mine = isInShare(chain.id, share)
        if (mine) still = await pulse.feel()
        else pulse.skip()
        const turn: Turn = mine ? await readOn(chain, reading) : {}
        const { trouble } = turn
        isBehind = turn.isBehind ?? false
        disagreements = trouble === DISAGREE ? disagreements + 1 : 0
        moved()
        // The chain may have been reorganised between two questions: the next turn sees that.
        const isPassing = disagreements === 1
        note(chain, still ?? (isPassing ? undefined : trouble) ?? pulse.late())
      } catch (error) {
        // Another process read the same blocks a moment sooner: no trouble, unless nobody gets on.
        if (isMovedCursor(error)) note(chain, still ?? troubles.get(chain.id))
        else {
          failures++
          pulse.skip()
          note(chain, describeError(error))
        }
      }
      const grown = chain.pollMs * 2 ** Math.min(failures, 10)
      if (isBehind) continue
      // A node in trouble is not asked the more for what customers say.
      if (failures === 0) await rests.get(chain.id)?.take(chain.pollMs)
      else await pause(Math.min(grown, LONGEST_PAUSE_MS))
    }
  }

  /** Those that no chain is to pay. By one of the workers; two at once do no harm. */
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

  const watching = Promise.all([...chains.map(watch), watchUnpicked()])
  const coins = watchCoins(world, { chains, share, awayMs })
  const agreeing = besideReading(
    world,
    { chains, share, trouble: 'comparison of transfers between nodes failed, retrying' },
    ({ id, source }) => agreeOnTransfers(world.sql, id, source),
  )
  return {
    troubles: () => new Map([...coins.troubles(), ...troubles]),
    wake: chainId => rests.get(chainId)?.ring(),
    stop: async () => {
      stopping.abort()
      await Promise.all([watching, coins.stop(), agreeing.stop()])
    },
  }
}

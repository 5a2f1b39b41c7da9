import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../../actors/services.ts'
import type { Sql } from '../../../postgres/connect.ts'
import { isInShare, type WorkerShare } from '../../../workers/share.ts'
import { describeError } from '../../rpc/describe-error.ts'
import { type Outage, openOutage } from '../../rpc/outage.ts'
import { RpcRefusal } from '../../rpc/rpc.ts'
import { BalancesDisagree, checkNativeBalances } from './check-balances.ts'
import { type AddressCursor, addressesOf, findDue, nextPage, positionAt } from './due.ts'
import type { NativeSource } from './source.ts'

export type NativeChain = {
  readonly id: number
  readonly pollMs: number
  readonly source: { readonly native: NativeSource }
}

export type BalanceWatchOptions = CheckIntervals & {
  readonly chains: readonly NativeChain[]
  readonly share: WorkerShare
  /** How long a second node is waited for before the answer of one node is enough that nothing arrived. */
  readonly outageMs?: number
}

/** How often addresses are checked: of waiting payments, of payments of the last days, and all. */
export type CheckIntervals = {
  readonly everyMs?: number
  readonly walkEveryMs?: number
  readonly walkAllEveryMs?: number
}

export type BalanceWatch = {
  /** Why balances cannot be checked, by chain. */
  troubles(): ReadonlyMap<number, string>
  stop(): Promise<void>
}

const EVERY_MS = 2 * 60_000
const WALK_EVERY_MS = 5 * 60_000
const MAX_PAUSE_MS = 30_000
const OUTAGE_MS = 2 * 60_000

/** The longest window, and some days for late payers. */
const WALK_BACK_MS = 10 * 24 * 60 * 60_000

/** Later money is found within a day. */
const WALK_ALL_EVERY_MS = 24 * 60 * 60_000

/** A page that asks again within this time gets the recorded state. */
const FRESH_MS = 10_000

/**
 * Checks the balances of addresses for as long as it runs, in parallel to the reading of blocks: internal transfers of
 * contracts show nowhere else.
 */
export const watchBalances = (
  world: Services,
  {
    chains,
    share,
    outageMs = OUTAGE_MS,
    everyMs = EVERY_MS,
    walkEveryMs = WALK_EVERY_MS,
    walkAllEveryMs = WALK_ALL_EVERY_MS,
  }: BalanceWatchOptions,
): BalanceWatch => {
  const stopping = new AbortController()
  const { signal } = stopping
  const troubles = new Map<number, string>()

  const watch = async (chain: NativeChain): Promise<void> => {
    const checker = openBalanceChecker(world, chain, { everyMs, walkEveryMs, walkAllEveryMs }, openOutage(outageMs))
    for (let failures = 0; !signal.aborted; ) {
      const began = performance.now()
      try {
        if (isInShare(chain.id, share)) while (!signal.aborted && (await checker.checkNext()) === 'checked');
        failures = 0
        troubles.delete(chain.id)
      } catch (error) {
        failures++
        const trouble = describeError(error)
        if (troubles.get(chain.id) !== trouble)
          world.log.warn({ chain: chain.id, trouble }, 'balance check failed, retrying')
        troubles.set(chain.id, trouble)
      }
      // Waiting payments are checked in every turn, and there may be thousands: checks take at most a fifth of the
      // time.
      const shortestMs = Math.max(chain.pollMs, 4 * (performance.now() - began))
      const pauseMs = Math.min(shortestMs * 2 ** Math.min(failures, 10), MAX_PAUSE_MS)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  const watching = Promise.all(chains.map(watch))
  return {
    troubles: () => troubles,
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}

/**
 * Chooses the addresses to check on one chain: first those of waiting payments, then the next page of a walk through
 * the addresses of the last days, then of a walk through all addresses. The last walk is long and proceeds by one page
 * per turn.
 */
export const openBalanceChecker = (
  { sql, clock }: Pick<Services, 'sql' | 'clock'>,
  { id, source }: Pick<NativeChain, 'id' | 'source'>,
  { everyMs, walkEveryMs, walkAllEveryMs }: Required<CheckIntervals>,
  outage?: Outage,
) => {
  const recent = openWalk(sql, walkEveryMs, () => positionAt(new Date(clock.now().getTime() - WALK_BACK_MS)))
  const all = openWalk(sql, walkAllEveryMs, () => positionAt(new Date(0)))
  return {
    checkNext: async (): Promise<'checked' | 'idle'> => {
      const due = await findDue(sql, id, everyMs)
      let failure: BalancesDisagree | RpcRefusal | undefined
      if (due.length > 0) {
        try {
          return (await checkNativeBalances(sql, id, source.native, due, { recordAll: true, outage })) > 0
            ? 'checked'
            : 'idle'
        } catch (error) {
          if (!(error instanceof BalancesDisagree || error instanceof RpcRefusal)) throw error
          failure = error
        }
      }
      const page = await recent.next()
      const addresses = page ?? (await all.next())
      if (addresses) await checkNativeBalances(sql, id, source.native, addresses, { recordAll: false, outage })
      // An account that nodes disagree on or refuse does not stop the walks.
      if (failure) throw failure
      return page ? 'checked' : 'idle'
    },
  }
}

/**
 * Pages of addresses in repeated walks. A walk starts `everyMs` after the start of the last one; undefined until then.
 */
const openWalk = (sql: Sql, everyMs: number, begin: () => AddressCursor) => {
  let walk: AddressCursor | undefined
  let againAt = 0
  return {
    next: async (): Promise<readonly string[] | undefined> => {
      if (!walk && performance.now() < againAt) return undefined
      againAt = walk ? againAt : performance.now() + everyMs
      const page = await nextPage(sql, walk ?? begin())
      // The position is stored before the check, so that a failing page does not hold up the others.
      walk = page?.next
      return page?.addresses
    },
  }
}

/** Checks a payment's addresses immediately, for a person who waits. The transfers found are applied as usual. */
export const checkPaymentNow = async (
  { sql }: Pick<Services, 'sql'>,
  chainId: number,
  source: NativeSource,
  paymentId: string,
  freshMs = FRESH_MS,
): Promise<void> => {
  const addresses = await addressesOf(sql, chainId, paymentId, freshMs)
  // Two nodes are required: a window must not end because a page was open while one of them was down.
  const outage: Outage = { isLong: () => false, end: () => {} }
  if (addresses.length > 0) await checkNativeBalances(sql, chainId, source, addresses, { recordAll: true, outage })
}

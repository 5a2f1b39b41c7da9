import type { Sql } from '../../../postgres/connect.ts'
import type { Outage } from '../../rpc/outage.ts'
import { isNodeError, RpcFault, RpcRefusal } from '../../rpc/rpc.ts'
import { sumOf } from './balance-changes.ts'
import { type NativeAccount, type NativeCheck, readAccounts, readHashes, recordChecks } from './balance-records.ts'
import type { Balances } from './balance-source.ts'
import { explain, type UnexplainedAccount } from './explain.ts'
import { asRefusal } from './pruned-states.ts'
import type { NativeSource } from './source.ts'

/** Accounts explained in parallel, of those that received money or were collected from. */
const PARALLEL = 8

export type BalanceCheckOptions = {
  /** Whether every check is recorded, or only those with an unexplained balance. */
  readonly recordAll: boolean
  /**
   * The outage of the second of two nodes, which is waited for until it is long, because windows end by a check.
   * Without it, every outage is long.
   */
  readonly outage?: Outage | undefined
}

/** The nodes do not agree on the balances of some addresses. These are not recorded, and are checked again. */
export class BalancesDisagree extends Error {
  override readonly name = 'BalancesDisagree'
  readonly reason = 'its nodes do not agree on balances'
}

/**
 * Compares the balances of addresses at the recorded head with the recorded transfers, and records what exceeds them as
 * transfers. Returns how many accounts are checked up to that block now.
 */
export const checkNativeBalances = async (
  sql: Sql,
  chainId: number,
  source: NativeSource,
  addresses: readonly string[],
  { recordAll, outage }: BalanceCheckOptions,
): Promise<number> => {
  const orFromOneNode = <T>(fromOne: () => Promise<T> | T) => {
    return (error: unknown) => {
      const mayBeAlone = isNodeError(error) && !isBehind(error) && (outage?.isLong() ?? true)
      if (!mayBeAlone) throw error
      return fromOne()
    }
  }
  // A node that is a block behind cannot answer for the latest block.
  const reached = await source.agreedHead().catch(orFromOneNode(() => Number.MAX_SAFE_INTEGER))
  const read = await readAccounts(sql, chainId, addresses, reached)
  if (!read) return 0
  const { accounts } = read
  const asked = accounts.map(({ address }) => address)
  const both = async (): Promise<Balances> => {
    const balances = await source.balances(asked, read.head, 'both')
    outage?.end()
    return balances
  }
  const balances = await both()
    .catch(orFromOneNode(() => source.balances(asked, read.head, 'one')))
    .catch(unlessBehind)
  // A node does not have the block yet: waits for it.
  if (!balances) return 0
  const { minedAt, byAddress } = balances
  // The recorded time is that of the one node that was read.
  const head = { ...read.head, minedAt }
  const checks: NativeCheck[] = []
  const changed: UnexplainedAccount[] = []
  for (const [at, account] of accounts.entries()) {
    const expected = expectedOf(account, head.number)
    const found = byAddress[at] ?? []
    // A difference that only one of two nodes reports is examined as well.
    const balance = found.find(each => each.balance !== expected)?.balance
    const hasCode = found.every(each => each.hasCode)
    // First collected from, and nothing was recorded that could have been collected.
    const isCollected = !account.last?.hasCode && !account.hasReceived && found.some(each => each.hasCode)
    if (balance !== undefined || isCollected)
      changed.push({ account, balance: balance ?? expected, hasCode, isCollected })
    else if (recordAll) {
      const points = [{ ...head, balance: expected, hasCode }]
      checks.push({ account, upTo: head.number, points, found: [], unexplainedIn: null })
    }
  }
  let isDisagreed = false
  let refusal: RpcRefusal | undefined
  const hashes: ReadonlyMap<number, string> = changed.length > 0 ? await readHashes(sql, chainId) : new Map()
  for (let from = 0; from < changed.length; from += PARALLEL) {
    const part = changed.slice(from, from + PARALLEL)
    const found = await Promise.all(
      part.map(each => explain(sql, { chainId, source, head, hashes }, each).catch(asRefusal)),
    )
    for (const check of found) {
      // A refusal for one account does not hold up the others.
      if (check instanceof RpcRefusal) refusal ??= check
      else if (check) checks.push(check)
      else isDisagreed = true
    }
  }
  const counted = await recordChecks(sql, chainId, checks, head)
  if (refusal) throw refusal
  if (isDisagreed) throw new BalancesDisagree()
  return counted
}

const unlessBehind = (error: unknown): undefined => {
  if (!isBehind(error)) throw error
}

const isBehind = (error: unknown): boolean => error instanceof RpcFault && error.reason === 'behind'

const expectedOf = ({ last, known }: NativeAccount, upTo: number): bigint =>
  (last?.balance ?? 0n) + sumOf(known, last?.number ?? 0, upTo)

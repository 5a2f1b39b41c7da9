import type { Sql } from '../../../postgres/connect.ts'
import type { Outage } from '../../rpc/outage.ts'
import { isNodeError, RpcFault, RpcRefusal } from '../../rpc/rpc.ts'
import type { Balances } from './balance-source.ts'
import { type Changed, explain } from './explain.ts'
import { type NativeAccount, type NativeCheck, readAccounts, readHashes, recordLooks } from './looks.ts'
import { sumOf } from './rises.ts'
import type { CoinSource } from './source.ts'
import { orRefusal } from './states.ts'

/** Accounts that something has come to, or was collected from, asked about at once. */
const AT_ONCE = 8

export type LookOptions = {
  /** Whether each that was looked at is remembered, or only where the books did not know what is there. */
  readonly remember: boolean
  /** Of the second of two nodes, which is waited for until it is long: windows end by a look. Without it, it always is. */
  readonly absence?: Outage | undefined
}

/** The nodes do not agree on what some addresses hold. Nothing of theirs is written down, and they are looked at again. */
export class Doubted extends Error {
  override readonly name = 'Doubted'
  readonly reason = 'its nodes do not agree on balances'
}

/**
 * Compares what addresses hold, at the block that the books have got to, with what the books know of them, and
 * writes down as a transfer what is there beyond that. Answers how many accounts are known now as far as that block.
 */
export const checkNativeBalances = async (
  sql: Sql,
  chainId: number,
  source: CoinSource,
  addresses: readonly string[],
  { remember, absence }: LookOptions,
): Promise<number> => {
  const orAlone = <T>(alone: () => Promise<T> | T) => {
    return (error: unknown) => {
      const mayBeAlone = isNodeError(error) && !isBehind(error) && (absence?.isLong() ?? true)
      if (!mayBeAlone) throw error
      return alone()
    }
  }
  // A node that is a block behind the other says nothing about what is in it.
  const reached = await source.reached().catch(orAlone(() => Number.MAX_SAFE_INTEGER))
  const read = await readAccounts(sql, chainId, addresses, reached)
  if (!read) return 0
  const { accounts } = read
  const asked = accounts.map(({ address }) => address)
  const both = async (): Promise<Balances> => {
    const balances = await source.balances(asked, read.head, 'both')
    absence?.end()
    return balances
  }
  const told = await both()
    .catch(orAlone(() => source.balances(asked, read.head, 'one')))
    .catch(unlessBehind)
  // A node does not know the block yet, and is waited for.
  if (!told) return 0
  const { minedAt, held } = told
  // The books have the time that the one node told that was read.
  const head = { ...read.head, minedAt }
  const looks: NativeCheck[] = []
  const changed: Changed[] = []
  for (const [at, account] of accounts.entries()) {
    const expected = expectedOf(account, head.number)
    const found = held[at] ?? []
    // What only one of two says is looked into as well.
    const balance = found.find(each => each.balance !== expected)?.balance
    const hasCode = found.every(each => each.hasCode)
    // Collected from for the first time, and the books know of nothing that could have been.
    const isCollected = !account.last?.hasCode && !account.hasReceived && found.some(each => each.hasCode)
    if (balance !== undefined || isCollected)
      changed.push({ account, balance: balance ?? expected, hasCode, isCollected })
    else if (remember) {
      const points = [{ ...head, balance: expected, hasCode }]
      looks.push({ account, upTo: head.number, points, found: [], unexplainedIn: null })
    }
  }
  let doubted = false
  let refusal: RpcRefusal | undefined
  const hashes: ReadonlyMap<number, string> = changed.length > 0 ? await readHashes(sql, chainId) : new Map()
  for (let from = 0; from < changed.length; from += AT_ONCE) {
    const part = changed.slice(from, from + AT_ONCE)
    const found = await Promise.all(
      part.map(each => explain(sql, { chainId, source, head, hashes }, each).catch(orRefusal)),
    )
    for (const look of found) {
      // What nodes refuse of one keeps nobody else waiting.
      if (look instanceof RpcRefusal) refusal ??= look
      else if (look) looks.push(look)
      else doubted = true
    }
  }
  const counted = await recordLooks(sql, chainId, looks, head)
  if (refusal) throw refusal
  if (doubted) throw new Doubted()
  return counted
}

const unlessBehind = (error: unknown): undefined => {
  if (!isBehind(error)) throw error
}

const isBehind = (error: unknown): boolean => error instanceof RpcFault && error.reason === 'behind'

const expectedOf = ({ last, known }: NativeAccount, upTo: number): bigint =>
  (last?.balance ?? 0n) + sumOf(known, last?.number ?? 0, upTo)

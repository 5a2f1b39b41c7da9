import { keccak256, stringToHex } from 'viem/utils'
import type { Sql } from '../../../postgres/connect.ts'
import type { TransferLog } from '../../chain-log.ts'
import type { BlockRef } from './balance-call.ts'
import { type Change, findChanges, type Point, sumOf } from './balance-changes.ts'
import { type ChainHead, deleteCheck, type NativeAccount, type NativeCheck } from './balance-records.ts'
import type { BalanceChange } from './balance-source.ts'
import { findDeploymentBlock } from './deployment.ts'
import type { NativeSource } from './source.ts'

/** The log index of a transfer that shows only as a rise of a balance: no node reports its transaction. */
export const BY_BALANCE = -2

export type ExplainContext = {
  readonly chainId: number
  readonly source: NativeSource
  readonly head: ChainHead
  readonly hashes: ReadonlyMap<number, string>
}

/** An account whose balance or collection the recorded transfers do not explain. */
export type UnexplainedAccount = {
  readonly account: NativeAccount
  readonly balance: bigint
  /** All nodes report code at the head. */
  readonly hasCode: boolean
  readonly isCollected: boolean
}

/**
 * Finds the blocks in which the balance changed, and the transfers that explain it; undefined while two nodes do not
 * agree.
 */
export const explain = async (
  sql: Sql,
  context: ExplainContext,
  { account, balance, hasCode, isCollected }: UnexplainedAccount,
): Promise<NativeCheck | undefined> => {
  const { source, head } = context
  const placeOf = (number: number): BlockRef => ({ number, hash: context.hashes.get(number) })
  const from: Point = account.last ?? { number: 0, balance: 0n }
  const balancesAt = (numbers: readonly number[]) => source.balancesAt(account.address, numbers.map(placeOf))
  const collected = isCollected ? await beforeDeployment(context, account, from) : undefined
  const hidden = collected ? await findChanges(from, collected, account.known, balancesAt) : []
  const later = await findChanges(hidden.at(-1) ?? from, { number: head.number, balance }, account.known, balancesAt)
  const hasCodeIn = (number: number) =>
    account.last?.hasCode === true ||
    (number === head.number && hasCode) ||
    (collected !== undefined && number > collected.number)
  const points: NativeCheck['points'][number][] = []
  const found: NativeCheck['found'][number][] = []
  let base = from
  for (const change of [...hidden, ...later]) {
    const expectedBefore = base.balance + sumOf(account.known, base.number, change.number - 1)
    const confirmed = await source.agreedBalance(account.address, placeOf(change.number), placeOf(change.number - 1))
    if (confirmed?.after !== change.balance) return undefined
    if (confirmed.before !== undefined && confirmed.before !== expectedBefore) {
      // The balance before is that of the last checked block: then the recorded one was wrong.
      if (account.last?.number === change.number - 1) await deleteCheck(sql, context.chainId, account)
      return undefined
    }
    const { hash, minedAt } = confirmed
    const { number, balance: after } = change
    points.push({ number, balance: after, hash, minedAt, hasCode: hasCodeIn(number) })
    const risen = change.amount > 0n ? await transfersOf(context, account, change, confirmed) : []
    if (!risen) return undefined
    for (const each of risen) found.push({ ...each, minedAt })
    base = change
  }
  const isUnexplained = isCollected && found.length === 0
  // If only one of two nodes reports code, it may have invented it: no attention is raised.
  if (isUnexplained && !hasCode) return undefined
  const isWhole = balance === base.balance + sumOf(account.known, base.number, head.number)
  if (isWhole && base.number < head.number) points.push({ ...head, balance, hasCode })
  const unexplainedIn = isUnexplained ? (points.find(point => point.hasCode)?.number ?? head.number) : null
  return { account, upTo: head.number, points, found, unexplainedIn }
}

/**
 * The balance before the first collection. The balances at both ends of a longer time do not show what arrived and was
 * collected in between. Undefined where the states are pruned.
 */
const beforeDeployment = async (
  { source, head, hashes }: ExplainContext,
  { address }: NativeAccount,
  from: Point,
): Promise<Point | undefined> => {
  const placeOf = (number: number): BlockRef => ({ number, hash: hashes.get(number) })
  const hasCodeAt = (number: number) => source.hasCodeAt(address, placeOf(number), placeOf(head.number))
  const deployed = await findDeploymentBlock(hasCodeAt, from.number, head.number)
  if (deployed === undefined || deployed - 1 <= from.number) return undefined
  const [balance] = await source.balancesAt(address, [deployed - 1, head.number].map(placeOf))
  return balance === undefined ? undefined : { number: deployed - 1, balance }
}

/**
 * The transfers behind a rise: transactions of the block that the reader did not record, and for the rest an internal
 * transfer of a contract.
 */
const transfersOf = async (
  { chainId, source }: ExplainContext,
  { address, known }: NativeAccount,
  { number, amount }: Change,
  { hash }: BalanceChange,
): Promise<readonly TransferLog[] | undefined> => {
  const sent = await source.sentIn([{ number, hash }])
  if (!sent) return undefined
  const isKnown = (txHash: string) => known.some(each => each.txHash === txHash && each.blockNumber === number)
  const toIt = sent.filter(({ to, txHash }) => to === address && !isKnown(txHash))
  const agreed = (await source.agreedSent(toIt)) ?? []
  const rest = agreed.reduce((left, each) => left - each.amount, amount)
  const own = rest < 0n ? [] : agreed
  const risen = rest < 0n ? amount : rest
  if (risen === 0n) return own
  const block = { blockNumber: number, blockHash: hash }
  const txHash = riseHash(chainId, address, number)
  return [...own, { txHash, logIndex: BY_BALANCE, ...block, token: null, from: null, to: address, amount: risen }]
}

/** Used in place of a transaction hash. The same for every process that finds the same rise. */
const riseHash = (chainId: number, address: string, number: number): string =>
  keccak256(stringToHex(`${chainId} ${address} ${number} balance`))

import { encodeId } from '../../ids.ts'
import type { Log } from '../../log.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { TransferLog } from '../chain-log.ts'
import type { TokenReceipt, TokenRise, TokenRiseSource } from './token-rise.ts'

export type Credited = {
  readonly logs: readonly TransferLog[]
  /** Transfers to deposit addresses that do not count. */
  readonly uncredited: readonly Uncredited[]
}

export type Uncredited = {
  readonly log: TransferLog
  readonly paymentId: string
  /**
   * The balance did not rise by the amount. Or, by the token's logs, the rest was sent on in the same block, and the
   * balance of the treasury does not confirm that it was collected. Or the nodes have no states to compare.
   */
  readonly reason: 'balance did not rise' | 'collection not confirmed' | 'states are pruned'
}

/**
 * Separates the logs that become final into those that count and those of tokens whose issuer is not known and whose
 * balances do not show them: such a token can log anything. Transfers to other addresses than deposit addresses are
 * not compared: a wallet that a refund went to may have sent it on in the same block. Undefined while two nodes do
 * not agree.
 */
export const creditedOf = async (
  sql: Sql,
  { uncheckedTokens = [] }: { readonly uncheckedTokens?: readonly string[] },
  source: TokenRiseSource,
  logs: readonly TransferLog[],
): Promise<Credited | undefined> => {
  const unchecked = logs.filter(({ token }) => token !== null && uncheckedTokens.includes(token))
  const deposits = await findDeposits(sql, unchecked)
  const groups = Map.groupBy(
    unchecked.filter(({ to }) => deposits.has(to)),
    ({ blockHash, token, to }) => `${blockHash} ${token} ${to}`,
  )
  if (groups.size === 0) return { logs, uncredited: [] }
  const receipts = [...groups.values()].flatMap(together => receiptOf(together, deposits) ?? [])
  const rises = await source.tokenRises(receipts.map(({ receipt }) => receipt))
  if (!rises) return undefined
  const short = receipts.flatMap((each, at) => {
    const rise = rises[at]
    return rise && rise.amount < each.sum ? [{ ...each, rise }] : []
  })
  const compared = short.filter(({ rise }) => rise.measured === 'in block')
  const sent = await sentBy(source, compared)
  if (!sent) return undefined
  const uncredited = short.flatMap(each => {
    const reason = reasonOf(each, sent.get(each))
    return reason ? each.together.map(log => ({ log, paymentId: each.deposit.payment_id, reason })) : []
  })
  const left = new Set(uncredited.map(({ log }) => log))
  return { logs: logs.filter(log => !left.has(log)), uncredited }
}

/** What left a deposit address in the block, by the token's logs, as a collection in the same block does. */
type Sent = {
  readonly amount: bigint
  readonly toTreasury: bigint
  /**
   * The balance of the treasury rose by all that the logs say it received in the block. Of a treasury that sent money
   * on in the same block this is false.
   */
  readonly isConfirmed: boolean
}

/** Without those of which the nodes refuse to list the logs, or have no states. */
const sentBy = async (
  source: TokenRiseSource,
  short: readonly Short[],
): Promise<ReadonlyMap<Short, Sent> | undefined> => {
  const moves = short.flatMap(({ receipt: { token, address, block }, deposit: { treasury } }) => [
    { token, block, from: address, to: null },
    { token, block, from: address, to: treasury },
    { token, block, from: null, to: treasury },
  ])
  const moved = await source.tokensMoved(moves)
  const rises = await source.tokenRises(
    short.map(({ receipt: { token, block }, deposit: { treasury } }) => ({ token, block, address: treasury })),
  )
  if (!moved || !rises) return undefined
  const sent = new Map<Short, Sent>()
  for (const [at, each] of short.entries()) {
    const [amount = null, toTreasury = null, received = null] = moved.slice(3 * at, 3 * at + 3)
    const rise = rises[at]
    if (amount === null || toTreasury === null || received === null || rise?.measured !== 'in block') continue
    sent.set(each, { amount, toTreasury, isConfirmed: rise.amount >= received })
  }
  return sent
}

/** Logs what was not credited; after it was recorded, so that it is logged once. */
export const logUncredited = (
  log: Log | undefined,
  chain: number,
  { uncredited }: Pick<Credited, 'uncredited'>,
): void => {
  for (const { log: transfer, paymentId, reason } of uncredited) {
    const { txHash, token, to, amount } = transfer
    const fields = { chain, payment: encodeId('pay', paymentId), txHash, token, address: to, amount: String(amount) }
    log?.warn({ ...fields, reason }, 'token transfer not credited')
  }
}

/** Those of which nothing shows whether they are real. */
export const unprovenAmong = (uncredited: readonly Uncredited[]): readonly TransferLog[] =>
  uncredited.flatMap(({ log, reason }) => (reason === 'balance did not rise' ? [] : [log]))

const reasonOf = ({ sum, rise }: Short, sent: Sent | undefined): Uncredited['reason'] | undefined => {
  if (!sent) return 'states are pruned'
  if (rise.amount + sent.amount < sum) return 'balance did not rise'
  return sent.isConfirmed && rise.amount + sent.toTreasury >= sum ? undefined : 'collection not confirmed'
}

type Together = {
  /** Transfers of one token in one block to one address. */
  readonly together: readonly TransferLog[]
  readonly sum: bigint
  readonly receipt: TokenReceipt
  readonly deposit: Deposit
}

type Short = Together & { readonly rise: TokenRise }

const receiptOf = (together: readonly TransferLog[], deposits: ReadonlyMap<string, Deposit>): Together | undefined => {
  const [first] = together
  const deposit = first && deposits.get(first.to)
  if (!first?.token || !deposit) return undefined
  const block = { number: first.blockNumber, hash: first.blockHash }
  const sum = together.reduce((sum, { amount }) => sum + amount, 0n)
  return { together, sum, receipt: { token: first.token, address: first.to, block }, deposit }
}

type Deposit = { readonly address: string; readonly payment_id: string; readonly treasury: string }

/** By their address. */
const findDeposits = async (sql: Sql, logs: readonly TransferLog[]): Promise<ReadonlyMap<string, Deposit>> => {
  if (logs.length === 0) return new Map()
  const rows = await sql<Deposit[]>`
    select address, payment_id, treasury from deposit_addresses
    where address = any(${[...new Set(logs.map(({ to }) => to))]}::text[])`
  return new Map(rows.map(row => [row.address, row]))
}

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
  /** The balance did not rise by the amount, or the nodes have no states by which that can be seen. */
  readonly reason: 'balance did not rise' | 'states are pruned'
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
  const payments = await findPayments(sql, unchecked)
  const toDeposits = unchecked.filter(({ to }) => payments.has(to))
  if (toDeposits.length === 0) return { logs, uncredited: [] }
  const groups = [...Map.groupBy(toDeposits, ({ blockHash, token, to }) => `${blockHash} ${token} ${to}`).values()]
  const receipts = groups.flatMap(together => receiptOf(together) ?? [])
  const rises = await source.tokenRises(receipts.map(({ receipt }) => receipt))
  if (!rises) return undefined
  const short = receipts.flatMap((each, at) => {
    const rise = rises[at]
    return rise && rise.amount < each.sum ? [{ ...each, rise }] : []
  })
  // What was collected in the block that it arrived in did not raise the balance.
  const compared = short.filter(({ rise }) => rise.measured === 'in block')
  const sent = await source.tokensSent(compared.map(({ receipt }) => receipt))
  if (!sent) return undefined
  const sentBy = new Map(compared.map(({ receipt }, at) => [receipt, sent[at] ?? null]))
  const uncredited = short.flatMap(({ together, sum, rise, receipt }) => {
    const reason = reasonOf(sum, rise, sentBy.get(receipt) ?? null)
    return reason ? together.map(log => ({ log, paymentId: payments.get(log.to) ?? '', reason })) : []
  })
  const left = new Set(uncredited.map(({ log }) => log))
  return { logs: logs.filter(log => !left.has(log)), uncredited }
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
  uncredited.flatMap(({ log, reason }) => (reason === 'states are pruned' ? [log] : []))

const reasonOf = (sum: bigint, rise: TokenRise, sent: bigint | null): Uncredited['reason'] | undefined => {
  if (sent === null) return 'states are pruned'
  return rise.amount < sum - sent ? 'balance did not rise' : undefined
}

const receiptOf = (
  together: readonly TransferLog[],
): { readonly together: readonly TransferLog[]; readonly sum: bigint; readonly receipt: TokenReceipt } | undefined => {
  const [first] = together
  if (!first?.token) return undefined
  const block = { number: first.blockNumber, hash: first.blockHash }
  const sum = together.reduce((sum, { amount }) => sum + amount, 0n)
  return { together, sum, receipt: { token: first.token, address: first.to, block } }
}

/** By their deposit address. */
const findPayments = async (sql: Sql, logs: readonly TransferLog[]): Promise<ReadonlyMap<string, string>> => {
  if (logs.length === 0) return new Map()
  const rows = await sql<{ address: string; payment_id: string }[]>`
    select address, payment_id from deposit_addresses
    where address = any(${[...new Set(logs.map(({ to }) => to))]}::text[])`
  return new Map(rows.map(({ address, payment_id }) => [address, payment_id]))
}

import type { Cursor } from '../chain-log.ts'
import { blockCall, findHeader, findTransaction, isBlock } from '../rpc/block.ts'
import { readBigint, readBytes } from '../rpc/hex.ts'
import { findReceipt, receiptCall } from '../rpc/receipt.ts'
import { agreedOn, type Comparable, type Rpc, type RpcCall, resultOf } from '../rpc/rpc.ts'
import { type HoldingSource, openHoldings } from './holding.ts'
import { type Moved, movedBy } from './transfer-of.ts'

/** What a transaction did that is in a block. */
export type Mined = {
  readonly blockNumber: number
  /** Of its block, in seconds. */
  readonly timestamp: number
  readonly status: 'success' | 'reverted'
  readonly from: string
  /** Where the chain's own coin went to with the transaction itself, and how much of it. */
  readonly to: string | null
  readonly value: bigint
  readonly input: string
  /** Of tokens, those of nothing included. */
  readonly transfers: readonly Moved[]
}

/** How single transactions of a chain are asked for. Whatever two nodes do not agree on is undefined. */
export type TransactionSource = HoldingSource & {
  /** The number of its block as one node tells it, null while it is in none; undefined where it is not known. */
  place(hash: string, signal: AbortSignal): Promise<number | null | undefined>
  /** In the block of that number, on the chain that has this block. */
  mined(hash: string, number: number, on: Cursor, signal: AbortSignal): Promise<Mined | undefined>
  /** True when the chain, which has this block, knows no such transaction. */
  lacks(hash: string, on: Cursor, signal: AbortSignal): Promise<boolean | undefined>
  /** Whether the chain's own coin is there, or somebody has collected it already. */
  wasPaid(address: string, signal: AbortSignal): Promise<boolean | undefined>
}

/** A slow node keeps nobody but the one who asks. */
const TIMEOUT_MS = 5_000

export const openTransactions = (rpc: Rpc): TransactionSource => {
  const agreed = async <T extends Comparable>(
    calls: readonly RpcCall[],
    pick: (answers: readonly unknown[]) => T,
    signal: AbortSignal,
  ): Promise<T | undefined> => agreedOn(await rpc.agreed(calls, pick, { timeoutMs: TIMEOUT_MS, signal }))

  return {
    ...openHoldings(rpc),
    place: (hash, signal) =>
      rpc.read([transactionBy(hash)], ([answer]) => findTransaction(resultOf(answer), hash)?.blockNumber, {
        timeoutMs: TIMEOUT_MS,
        signal,
      }),
    mined: async (hash, number, on, signal) => {
      const calls = [transactionBy(hash), receiptCall(hash), blockCall(number), blockCall(on.number)]
      const found = await agreed(calls, answers => minedIn(answers, hash, number, on), signal)
      return found ?? undefined
    },
    lacks: (hash, on, signal) =>
      agreed(
        [transactionBy(hash), receiptCall(hash), blockCall(on.number)],
        ([transaction, receipt, block]) =>
          isBlock(resultOf(block), on) &&
          findTransaction(resultOf(transaction), hash) === undefined &&
          findReceipt(resultOf(receipt), hash) === undefined,
        signal,
      ),
    wasPaid: (address, signal) =>
      agreed(
        ['eth_getBalance', 'eth_getCode'].map(method => ({ method, params: [address, 'latest'] })),
        ([balance, code]) =>
          readBigint(resultOf(balance), 'a balance') > 0n || readBytes(resultOf(code), 'code') !== '0x',
        signal,
      ),
  }
}

/** Null where it is not, or the node speaks of another chain. */
const minedIn = (
  [transaction, receipt, block, last]: readonly unknown[],
  hash: string,
  number: number,
  on: Cursor,
): Mined | null => {
  const sent = findTransaction(resultOf(transaction), hash)
  const done = findReceipt(resultOf(receipt), hash)
  const header = findHeader(resultOf(block), { number })
  const isThere = header !== undefined && sent?.blockHash === header.hash && done?.blockHash === header.hash
  if (!isThere || !sent || !done || !isBlock(resultOf(last), on)) return null
  return {
    blockNumber: number,
    timestamp: header.timestamp,
    status: done.status,
    from: sent.from,
    to: sent.to,
    value: sent.value,
    input: sent.input,
    transfers: done.logs.flatMap(log => movedBy(log) ?? []),
  }
}

export const transactionBy = (hash: string): RpcCall => ({ method: 'eth_getTransactionByHash', params: [hash] })

import type { Cursor } from '../chain-log.ts'
import { blockCall, findHeader, findTransaction, isBlock } from '../rpc/block.ts'
import { readBigint, readBytes } from '../rpc/hex.ts'
import { findReceipt, receiptCall } from '../rpc/receipt.ts'
import { agreedOn, type Comparable, type Rpc, type RpcCall, resultOf } from '../rpc/rpc.ts'
import { type NativeChangeSource, openNativeChanges } from './native-changes.ts'
import { type TokenTransfer, tokenTransferIn } from './transfer-log.ts'

/** What a mined transaction did. */
export type Mined = {
  readonly blockNumber: number
  /** The time of its block, in seconds. */
  readonly timestamp: number
  readonly status: 'success' | 'reverted'
  readonly from: string
  /** The recipient of the transaction's own value in native currency, and the value. */
  readonly to: string | null
  readonly value: bigint
  readonly input: string
  /** Token transfers, including those of amount 0. */
  readonly transfers: readonly TokenTransfer[]
}

/** Queries for single transactions of a chain. A value that two nodes do not agree on is undefined. */
export type TransactionSource = NativeChangeSource & {
  /**
   * The block number that one node reports; null while the transaction is pending, undefined where the node does not
   * know it.
   */
  blockNumberOf(hash: string, signal: AbortSignal): Promise<number | null | undefined>
  /** The transaction in the block of that number, on the chain with the block `on`. */
  mined(hash: string, number: number, on: Cursor, signal: AbortSignal): Promise<Mined | undefined>
  /** True when the chain with the block `on` does not have the transaction. */
  isUnknown(hash: string, on: Cursor, signal: AbortSignal): Promise<boolean | undefined>
  /** Whether the address holds native currency, or has been collected from. */
  wasPaid(address: string, signal: AbortSignal): Promise<boolean | undefined>
}

/** A slow node delays only the caller. */
const TIMEOUT_MS = 5_000

export const openTransactions = (rpc: Rpc): TransactionSource => {
  const agreed = async <T extends Comparable>(
    calls: readonly RpcCall[],
    pick: (answers: readonly unknown[]) => T,
    signal: AbortSignal,
  ): Promise<T | undefined> => agreedOn(await rpc.agreed(calls, pick, { timeoutMs: TIMEOUT_MS, signal }))

  return {
    ...openNativeChanges(rpc),
    blockNumberOf: (hash, signal) =>
      rpc.read([transactionCall(hash)], ([answer]) => findTransaction(resultOf(answer), hash)?.blockNumber, {
        timeoutMs: TIMEOUT_MS,
        signal,
      }),
    mined: async (hash, number, on, signal) => {
      const calls = [transactionCall(hash), receiptCall(hash), blockCall(number), blockCall(on.number)]
      const found = await agreed(calls, answers => minedIn(answers, hash, number, on), signal)
      return found ?? undefined
    },
    isUnknown: (hash, on, signal) =>
      agreed(
        [transactionCall(hash), receiptCall(hash), blockCall(on.number)],
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

/** Null where the transaction is not in the block, or the node is on another fork. */
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
    transfers: done.logs.flatMap(log => tokenTransferIn(log) ?? []),
  }
}

export const transactionCall = (hash: string): RpcCall => ({ method: 'eth_getTransactionByHash', params: [hash] })

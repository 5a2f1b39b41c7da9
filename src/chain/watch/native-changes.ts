import type { Cursor } from '../chain-log.ts'
import { blockCall, findFullBlock, fullBlockCall, isBlock } from '../rpc/block.ts'
import { readBigint, readBytes, readNumber, toQuantity } from '../rpc/hex.ts'
import { findReceipt, receiptCall } from '../rpc/receipt.ts'
import { agreedOn, type BatchOptions, type Comparable, type Rpc, type RpcCall, resultOf } from '../rpc/rpc.ts'

/** How a final block changed the native balance of an address. */
export type NativeChange = {
  /** The increase of the balance, without what other transactions of the block transferred directly. */
  readonly rise: bigint
  /**
   * The address sent a transaction in the block, or has code that may have sent money on: the increase is then not
   * conclusive.
   */
  readonly maySend: boolean
}

/** Queries for native currency that a contract may have sent, which no log shows. */
export type NativeChangeSource = {
  /**
   * The change in the block of that number, on the chain with the final block `on`. `but`: the transaction whose effect
   * is measured; its own value is not subtracted.
   */
  changeIn(asked: Asked, on: Cursor, signal: AbortSignal): Promise<NativeChange | undefined>
  /** The decrease of the balance in the block of that number. */
  decreaseIn(asked: Pick<Asked, 'address' | 'number'>, on: Cursor, signal: AbortSignal): Promise<bigint | undefined>
  /**
   * Whether the address had code before or after the block of that number. Without code it cannot have sent money on.
   */
  hadCode(asked: Pick<Asked, 'address' | 'number'>, on: Cursor, signal: AbortSignal): Promise<boolean | undefined>
}

type Asked = { readonly address: string; readonly number: number; readonly but: string }

const TIMEOUT_MS = 15_000
/** A busy block with all its transactions. */
const MAX_BYTES = 64 * 1024 * 1024

/** A value that two nodes do not agree on is undefined. Nodes that have pruned the state refuse. */
export const openNativeChanges = (rpc: Rpc): NativeChangeSource => {
  const agreed = async <T extends Comparable>(
    calls: readonly RpcCall[],
    pick: (answers: readonly unknown[]) => T,
    options: BatchOptions,
  ): Promise<T | undefined> => agreedOn(await rpc.agreed(calls, pick, { timeoutMs: TIMEOUT_MS, ...options }))

  /** Undefined while a receipt is missing. */
  const sumOf = async (others: readonly OtherTransfer[], signal: AbortSignal): Promise<bigint | undefined> => {
    if (others.length === 0) return 0n
    const sum = await agreed(
      others.map(({ hash }) => receiptCall(hash)),
      answers => {
        const receipts = others.map(({ hash }, at) => findReceipt(resultOf(answers[at]), hash))
        if (receipts.includes(undefined)) return null
        return others.reduce((sum, { value }, at) => (receipts[at]?.status === 'success' ? sum + value : sum), 0n)
      },
      { signal },
    )
    return sum ?? undefined
  }

  return {
    changeIn: async ({ address, number, but }, on, signal) => {
      const calls = [...aroundBlock(address, number), fullBlockCall(number), blockCall(on.number)]
      const found = await agreed(calls, answers => changeInBlock(answers, { address, number, but }, on), {
        maxBytes: MAX_BYTES,
        signal,
      })
      const brought = found ? await sumOf(found.others, signal) : undefined
      return found && brought !== undefined ? { rise: found.change - brought, maySend: found.maySend } : undefined
    },
    decreaseIn: async ({ address, number }, on, signal) => {
      const calls = [...balancesAround(address, number), blockCall(on.number)]
      const pick = ([after, before, last]: readonly unknown[]) =>
        isBlock(resultOf(last), on) ? -changeIn(after, before) : null
      return (await agreed(calls, pick, { signal })) ?? undefined
    },
    hadCode: async ({ address, number }, on, signal) => {
      const calls = [...around(number).map(tag => codeOf(address, tag)), blockCall(on.number)]
      const pick = ([after, before, last]: readonly unknown[]) =>
        isBlock(resultOf(last), on) ? isCode(after) || isCode(before) : null
      return (await agreed(calls, pick, { signal })) ?? undefined
    },
  }
}

type OtherTransfer = { readonly hash: string; readonly value: bigint }

/** Null where the node is on another fork. */
const changeInBlock = (
  [after, before, nonce, nonceBefore, code, block, last]: readonly unknown[],
  { address, number, but }: Asked,
  on: Cursor,
) => {
  const fullBlock = findFullBlock(resultOf(block), { number })
  if (!fullBlock || !isBlock(resultOf(last), on)) return null
  return {
    change: changeIn(after, before),
    maySend: readNumber(resultOf(nonce), 'a nonce') !== readNumber(resultOf(nonceBefore), 'a nonce') || isCode(code),
    others: fullBlock.transactions
      .filter(({ hash, to, value }) => hash !== but && to === address && value > 0n)
      .map(({ hash, value }) => ({ hash, value })),
  }
}

const changeIn = (after: unknown, before: unknown): bigint =>
  readBigint(resultOf(after), 'a balance') - readBigint(resultOf(before), 'a balance')

const isCode = (code: unknown): boolean => readBytes(resultOf(code), 'code') !== '0x'

/** The state after a block and the state before it. */
const around = (number: number): readonly string[] => [toQuantity(number), toQuantity(Math.max(0, number - 1))]

const balancesAround = (address: string, number: number): readonly RpcCall[] =>
  around(number).map(tag => ({ method: 'eth_getBalance', params: [address, tag] }))

const aroundBlock = (address: string, number: number): readonly RpcCall[] => [
  ...balancesAround(address, number),
  ...around(number).map(tag => ({ method: 'eth_getTransactionCount', params: [address, tag] })),
  codeOf(address, toQuantity(number)),
]

const codeOf = (address: string, tag: string): RpcCall => ({ method: 'eth_getCode', params: [address, tag] })

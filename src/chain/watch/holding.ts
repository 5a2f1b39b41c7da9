import type { Cursor } from '../chain-log.ts'
import { blockCall, findFullBlock, fullBlockCall, isBlock } from '../rpc/block.ts'
import { readBigint, readBytes, readNumber, toQuantity } from '../rpc/hex.ts'
import { findReceipt, receiptCall } from '../rpc/receipt.ts'
import { agreedOn, type BatchOptions, type Comparable, type Rpc, type RpcCall, resultOf } from '../rpc/rpc.ts'

/** What a block that is final did to the coins of an address. */
export type HoldingChange = {
  /** By how much more is there than other transactions of the block have brought, which tell so themselves. */
  readonly rise: bigint
  /** It has sent a transaction in the block, or has code, which may have sent coins on: the rise says little then. */
  readonly maySend: boolean
}

/** What is asked where coins may have come from a contract, of which no log tells. */
export type HoldingSource = {
  /** In the block of that number, on the chain that has this final block; `but`: what this transaction itself did counts. */
  held(asked: Asked, on: Cursor, signal: AbortSignal): Promise<HoldingChange | undefined>
  /** By how much less is there after the block of that number than before it. */
  fallen(asked: Pick<Asked, 'address' | 'number'>, on: Cursor, signal: AbortSignal): Promise<bigint | undefined>
  /** Whether there was code at an address around the block of that number: without any it has sent nothing on. */
  hadCode(asked: Pick<Asked, 'address' | 'number'>, on: Cursor, signal: AbortSignal): Promise<boolean | undefined>
}

type Asked = { readonly address: string; readonly number: number; readonly but: string }

const TIMEOUT_MS = 15_000
/** A busy block with all its transactions. */
const MOST_BYTES = 64 * 1024 * 1024

/** Whatever two nodes do not agree on is undefined; that they have no state so old any more is a refusal. */
export const openHoldings = (rpc: Rpc): HoldingSource => {
  const agreed = async <T extends Comparable>(
    calls: readonly RpcCall[],
    pick: (answers: readonly unknown[]) => T,
    options: BatchOptions,
  ): Promise<T | undefined> => agreedOn(await rpc.agreed(calls, pick, { timeoutMs: TIMEOUT_MS, ...options }))

  /** Undefined while one of them has no receipt. */
  const sumOf = async (others: readonly Sent[], signal: AbortSignal): Promise<bigint | undefined> => {
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
    held: async ({ address, number, but }, on, signal) => {
      const calls = [...aroundBlock(address, number), fullBlockCall(number), blockCall(on.number)]
      const found = await agreed(calls, answers => heldIn(answers, { address, number, but }, on), {
        maxBytes: MOST_BYTES,
        signal,
      })
      const brought = found ? await sumOf(found.others, signal) : undefined
      return found && brought !== undefined ? { rise: found.change - brought, maySend: found.maySend } : undefined
    },
    fallen: async ({ address, number }, on, signal) => {
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

type Sent = { readonly hash: string; readonly value: bigint }

/** Null where the node speaks of another chain. */
const heldIn = (
  [after, before, nonce, nonceBefore, code, block, last]: readonly unknown[],
  { address, number, but }: Asked,
  on: Cursor,
) => {
  const told = findFullBlock(resultOf(block), { number })
  if (!told || !isBlock(resultOf(last), on)) return null
  return {
    change: changeIn(after, before),
    maySend: readNumber(resultOf(nonce), 'a nonce') !== readNumber(resultOf(nonceBefore), 'a nonce') || isCode(code),
    others: told.transactions
      .filter(({ hash, to, value }) => hash !== but && to === address && value > 0n)
      .map(({ hash, value }) => ({ hash, value })),
  }
}

const changeIn = (after: unknown, before: unknown): bigint =>
  readBigint(resultOf(after), 'a balance') - readBigint(resultOf(before), 'a balance')

const isCode = (code: unknown): boolean => readBytes(resultOf(code), 'code') !== '0x'

/** The state that a block has left, and the one that it has found. */
const around = (number: number): readonly string[] => [toQuantity(number), toQuantity(Math.max(0, number - 1))]

const balancesAround = (address: string, number: number): readonly RpcCall[] =>
  around(number).map(tag => ({ method: 'eth_getBalance', params: [address, tag] }))

const aroundBlock = (address: string, number: number): readonly RpcCall[] => [
  ...balancesAround(address, number),
  ...around(number).map(tag => ({ method: 'eth_getTransactionCount', params: [address, tag] })),
  codeOf(address, toQuantity(number)),
]

const codeOf = (address: string, tag: string): RpcCall => ({ method: 'eth_getCode', params: [address, tag] })

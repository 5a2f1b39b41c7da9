import type { Cursor } from '../../chain-log.ts'
import { blockCall, findHeader, readHeader } from '../../rpc/block.ts'
import { agreedHeight } from '../../rpc/finality.ts'
import { readBytes } from '../../rpc/hex.ts'
import { inParts } from '../../rpc/in-parts.ts'
import { agreedOn, type Rpc, type RpcAnswer, type RpcCall, RpcFault, resultOf } from '../../rpc/rpc.ts'
import { type BalanceAtBlock, openAgreedBalances } from './agreed-balances.ts'
import { type BlockRef, balanceCall, balanceOf, blockParameter, codeCall } from './balance-call.ts'
import { openBalancesAt } from './balances-at.ts'
import { orPruned, retryRefused } from './pruned-states.ts'

/** A block, and the balance of an address after it and, unless pruned, before it. */
export type BalanceChange = {
  readonly hash: string
  readonly minedAt: Date
  readonly after: bigint
  readonly before: bigint | undefined
}

export type Balances = {
  /** The time of the block; the earliest of those that the nodes report. */
  readonly minedAt: Date
  /** For each address, the answer of each node. */
  readonly byAddress: readonly (readonly FoundBalance[])[]
}

/** The balance of an address, and whether it has code. A deposit address has code after its first collection. */
export type FoundBalance = { readonly balance: bigint; readonly hasCode: boolean }

/** Queries for balances in native currency. */
export type BalanceSource = {
  /** The lower head of two nodes. */
  agreedHead(): Promise<number>
  /** The balances of addresses from two nodes, or from one. */
  balances(addresses: readonly string[], block: Cursor, of: 'both' | 'one'): Promise<Balances>
  /**
   * The balances of one address at several blocks, the lowest first; undefined where no node has the state any more.
   * The state of the last block must exist.
   */
  balancesAt(address: string, places: readonly BlockRef[]): Promise<readonly (bigint | undefined)[]>
  /**
   * Whether an address has code after a block; undefined where the state is pruned while that of a newer block exists.
   */
  hasCodeAt(address: string, place: BlockRef, newer: BlockRef): Promise<boolean | undefined>
  /**
   * The balances of one address before and after a block, as two nodes agree; undefined while they do not, or have
   * another block.
   */
  agreedBalance(address: string, place: BlockRef, before: BlockRef): Promise<BalanceChange | undefined>
  /**
   * The balances of several addresses, each after its own block; false where the block exists and its state is pruned.
   */
  agreedBalances(wanted: readonly BalanceAtBlock[]): Promise<readonly (bigint | false)[] | undefined>
}

export const openBalances = (rpc: Rpc): BalanceSource => {
  const agreedAt = (address: string, place: BlockRef) =>
    rpc.agreed([balanceCall(address, place)], ([answer]) => balanceOf(answer))

  return {
    agreedHead: () => agreedHeight(rpc, 'latest'),
    balances: async (addresses, block, of) => {
      const minedAt: number[] = []
      const byAddress = await inParts(addresses, ADDRESSES_AT_ONCE, async part => {
        const calls = [blockCall(block.number), balancesCall(part, block)]
        const read = ([header, words]: readonly RpcAnswer[]) => {
          const { hash, timestamp } = readHeader(resultOf(header), block)
          if (hash !== block.hash) throw new RpcFault('behind')
          return { timestamp, found: wordsOf(words, part.length).map(foundIn) }
        }
        const answers = of === 'both' ? await retryRefused(() => rpc.both(calls, read)) : [await rpc.read(calls, read)]
        minedAt.push(...answers.map(({ timestamp }) => timestamp))
        return part.map((_, at) => answers.flatMap(({ found }) => found[at] ?? []))
      })
      return { minedAt: new Date(Math.min(...minedAt) * 1_000), byAddress: byAddress ?? [] }
    },
    balancesAt: openBalancesAt(rpc),
    hasCodeAt: async (address, place, newer) => {
      const ask = (at: BlockRef) =>
        rpc.read([codeCall(address, at)], ([code]) => readBytes(resultOf(code), 'code') !== '0x')
      const hasCode = await orPruned(
        () => ask(place),
        () => ask(newer),
      )
      return hasCode === 'pruned' ? undefined : hasCode
    },
    agreedBalance: async (address, place, before) => {
      const calls = [blockCall(place.number), balanceCall(address, place)]
      const block = agreedOn(await retryRefused(() => rpc.agreed(calls, answers => balanceAfter(place, answers))))
      if (!block) return undefined
      const { hash, timestamp, after } = block
      const confirmed = { hash, minedAt: new Date(timestamp * 1_000), after }
      const earlier = await orPruned(
        () => agreedAt(address, before),
        () => agreedAt(address, place),
      )
      if (earlier === 'pruned') return { ...confirmed, before: undefined }
      const balanceBefore = agreedOn(earlier)
      return balanceBefore === undefined ? undefined : { ...confirmed, before: balanceBefore }
    },
    agreedBalances: openAgreedBalances(rpc),
  }
}

/** Null where the node has another block at this number. */
const balanceAfter = ({ number, hash: wanted }: BlockRef, [block, after]: readonly RpcAnswer[]) => {
  const header = findHeader(resultOf(block), { number })
  if (!header || (wanted !== undefined && wanted !== header.hash)) return null
  const { hash, timestamp } = header
  return { hash, timestamp, after: balanceOf(after) }
}

/**
 * Code that a node runs as the creation of a contract. In place of the contract's code, whose size is limited to 24,576
 * bytes, it returns a word for each address that follows it: the balance, and in the highest bit whether the address
 * has code.
 */
const BALANCES_CODE =
  '0x5f60305b38811015602c576014818339815160601c8031903b151560ff1b17825260140190602001906003565b505ff3'
const ADDRESSES_AT_ONCE = 768

const balancesCall = (addresses: readonly string[], place: BlockRef): RpcCall => ({
  method: 'eth_call',
  params: [{ data: BALANCES_CODE + addresses.map(address => address.slice(2)).join('') }, blockParameter(place)],
})

const wordsOf = (answer: RpcAnswer, count: number): readonly bigint[] => {
  const words = readBytes(resultOf(answer), 'balances', 32 * count)
  return Array.from({ length: count }, (_, at) => BigInt(`0x${words.slice(2 + 64 * at, 66 + 64 * at)}`))
}

const foundIn = (word: bigint): FoundBalance => ({ balance: word & HIGHEST_BALANCE, hasCode: word > HIGHEST_BALANCE })

const HIGHEST_BALANCE = (1n << 255n) - 1n

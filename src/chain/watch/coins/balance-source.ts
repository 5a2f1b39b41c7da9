import type { Cursor } from '../../chain-log.ts'
import { blockCall, findHeader, readHeader } from '../../rpc/block.ts'
import { agreedHeight } from '../../rpc/finality.ts'
import { readBytes } from '../../rpc/hex.ts'
import { inParts } from '../../rpc/in-parts.ts'
import { agreedOn, type Rpc, type RpcAnswer, type RpcCall, RpcFault, resultOf } from '../../rpc/rpc.ts'
import { type BalanceAtBlock, openAgreedBalances } from './agreed-balances.ts'
import { type BlockRef, balanceCall, balanceOf, blockParameter, codeCall } from './balance-call.ts'
import { openBalancesAt } from './balances-at.ts'
import { askAgain, toldOrGone } from './states.ts'

/** A block, and what one address held after it and, where that can still be told, before it. */
export type Witness = {
  readonly hash: string
  readonly minedAt: Date
  readonly after: bigint
  readonly before: bigint | undefined
}

export type Balances = {
  /** When the block was mined, as the node says that dates it the earliest. */
  readonly minedAt: Date
  /** For each address, what each of the nodes says. */
  readonly held: readonly (readonly FoundBalance[])[]
}

/** What an address holds, and whether it has code: a deposit address has some once it was collected from. */
export type FoundBalance = { readonly balance: bigint; readonly hasCode: boolean }

/** What a chain tells of how much of its own coin is where. */
export type BalanceSource = {
  /** The head that two nodes have got to, the lower one of theirs. */
  reached(): Promise<number>
  /** Of each address what two nodes say, or one alone. */
  balances(addresses: readonly string[], block: Cursor, of: 'both' | 'one'): Promise<Balances>
  /** Of one address at many blocks, the lowest first; undefined where no node has the state any more, which the last has. */
  balancesAt(address: string, places: readonly BlockRef[]): Promise<readonly (bigint | undefined)[]>
  /** Of one address after a block; undefined where no node has the state any more, as they have that of a newer one. */
  hasCodeAt(address: string, place: BlockRef, newer: BlockRef): Promise<boolean | undefined>
  /** Of one address around a block, as two nodes agree on it; undefined while they do not, or have another block. */
  agreedBalance(address: string, place: BlockRef, before: BlockRef): Promise<Witness | undefined>
  /** Of many, each after a block of its own; false where the blocks are there and the state is not any more. */
  agreedBalances(held: readonly BalanceAtBlock[]): Promise<readonly (bigint | false)[] | undefined>
}

export const openBalances = (rpc: Rpc): BalanceSource => {
  const agreedAt = (address: string, place: BlockRef) =>
    rpc.agreed([balanceCall(address, place)], ([answer]) => balanceOf(answer))

  return {
    reached: () => agreedHeight(rpc, 'latest'),
    balances: async (addresses, block, of) => {
      const minedAt: number[] = []
      const held = await inParts(addresses, ADDRESSES_AT_ONCE, async part => {
        const calls = [blockCall(block.number), balancesCall(part, block)]
        const read = ([header, words]: readonly RpcAnswer[]) => {
          const { hash, timestamp } = readHeader(resultOf(header), block)
          if (hash !== block.hash) throw new RpcFault('behind')
          return { timestamp, found: wordsOf(words, part.length).map(foundIn) }
        }
        const told = of === 'both' ? await askAgain(() => rpc.both(calls, read)) : [await rpc.read(calls, read)]
        minedAt.push(...told.map(({ timestamp }) => timestamp))
        return part.map((_, at) => told.flatMap(({ found }) => found[at] ?? []))
      })
      return { minedAt: new Date(Math.min(...minedAt) * 1_000), held: held ?? [] }
    },
    balancesAt: openBalancesAt(rpc),
    hasCodeAt: async (address, place, newer) => {
      const ask = (at: BlockRef) =>
        rpc.read([codeCall(address, at)], ([code]) => readBytes(resultOf(code), 'code') !== '0x')
      const told = await toldOrGone(
        () => ask(place),
        () => ask(newer),
      )
      return told === 'gone' ? undefined : told
    },
    agreedBalance: async (address, place, before) => {
      const calls = [blockCall(place.number), balanceCall(address, place)]
      const block = agreedOn(await askAgain(() => rpc.agreed(calls, answers => witnessed(place, answers))))
      if (!block) return undefined
      const { hash, timestamp, after } = block
      const witness = { hash, minedAt: new Date(timestamp * 1_000), after }
      const earlier = await toldOrGone(
        () => agreedAt(address, before),
        () => agreedAt(address, place),
      )
      if (earlier === 'gone') return { ...witness, before: undefined }
      const said = agreedOn(earlier)
      return said === undefined ? undefined : { ...witness, before: said }
    },
    agreedBalances: openAgreedBalances(rpc),
  }
}

/** Null where the node has another block at this place. */
const witnessed = ({ number, hash: wanted }: BlockRef, [block, after]: readonly RpcAnswer[]) => {
  const header = findHeader(resultOf(block), { number })
  if (!header || (wanted !== undefined && wanted !== header.hash)) return null
  const { hash, timestamp } = header
  return { hash, timestamp, after: balanceOf(after) }
}

/**
 * Run as the making of a contract, it answers a word for every address that stands behind it in place of that contract's
 * code, which is held to 24,576 bytes: the balance, and in the highest bit whether the address has code.
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

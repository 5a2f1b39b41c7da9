import { blockAt, findHeader, isBlock } from '../../rpc/block.ts'
import { readBigint, readBytes, toQuantity } from '../../rpc/hex.ts'
import { type Answer, agreedOn, answered, type Call, isOfNode, type Rpc, RpcRefusal } from '../../rpc/rpc.ts'
import type { Cursor } from '../books.ts'
import { reachedBy } from '../finality.ts'
import { inParts } from './in-parts.ts'

/** A block to ask about. Without a hash it is so deep that its number is enough. */
export type Place = { readonly number: number; readonly hash: string | undefined }

/** A block, and what one address held after it and, where that can still be told, before it. */
export type Witness = {
  readonly hash: string
  readonly minedAt: Date
  readonly after: bigint
  readonly before: bigint | undefined
}

/** What a chain tells of how much of its own coin is where. */
export type BalanceSource = {
  /** The head that two nodes have got to, the lower one of theirs. */
  reached(): Promise<number>
  /** Of each what two nodes say, or the one while the other cannot tell. */
  balances(addresses: readonly string[], place: Place): Promise<readonly (readonly bigint[])[]>
  /** Of one address at many blocks; undefined where no node has the state any more. */
  balancesAt(address: string, places: readonly Place[]): Promise<readonly (bigint | undefined)[]>
  /** Of one address around a block, as two nodes agree on it; undefined while they do not, or have another block. */
  agreedBalance(address: string, place: Place, before: Place): Promise<Witness | undefined>
  /** Of many, each after a block of its own; false where the blocks are there and the state is not any more. */
  agreedBalances(held: readonly Held[]): Promise<readonly (bigint | false)[] | undefined>
}

export type Held = { readonly address: string; readonly block: Cursor }

export const openBalances = (rpc: Rpc): BalanceSource => ({
  reached: () => reachedBy(rpc, 'latest'),
  balances: async (addresses, place) => {
    const found = await inParts(addresses, ADDRESSES_AT_ONCE, async part => {
      const calls = [balancesCall(part, place)]
      const read = ([words]: readonly Answer[]) => wordsOf(words, part.length)
      const told = await rpc.both(calls, read).catch(async error => {
        if (!isOfNode(error)) throw error
        return [await rpc.read(calls, read)]
      })
      return part.map((_, at) => told.map(balances => balances[at] ?? 0n))
    })
    return found ?? []
  },
  balancesAt: async (address, places) => {
    const calls = places.map(place => balanceCall(address, place))
    try {
      return await rpc.read(calls, answers => answers.map(balanceOf))
    } catch (error) {
      if (!isWithoutState(error)) throw error
    }
    // No node has all of it.
    return (await rpc.batch(calls)).map(answer => (isWithoutState(answer) ? undefined : balanceOf(answer)))
  },
  agreedBalance: async (address, place, before) => {
    const calls = [headerAt(place), balanceCall(address, place)]
    const ask = (more: readonly Call[]) => rpc.agreed([...calls, ...more], answers => witnessed(place, answers))
    const agreement = await ask([balanceCall(address, before)]).catch(error => {
      if (isWithoutState(error)) return ask([])
      throw error
    })
    const said = agreedOn(agreement)
    if (!said) return undefined
    return { ...said, minedAt: new Date(said.timestamp * 1_000), before: said.before ?? undefined }
  },
  agreedBalances: held =>
    inParts(held, BLOCKS_AT_ONCE, async part => {
      const headers = part.map(({ block }) => headerAt(block))
      const balances = part.map(({ address, block }) => balanceCall(address, block))
      const areThere = (answers: readonly Answer[]) =>
        part.every(({ block }, at) => isBlock(answered(answers[at]), block))
      const ask = (more: readonly Call[]) =>
        rpc.agreed([...headers, ...more], answers =>
          areThere(answers) ? answers.slice(part.length).map(balanceOf) : null,
        )
      const agreement = await ask(balances).catch(error => {
        if (isWithoutState(error)) return ask([])
        throw error
      })
      const said = agreedOn(agreement)
      return said && part.map((_, at) => said[at] ?? false)
    }),
})

const BLOCKS_AT_ONCE = 50

/** A limit is no lack of state: whoever asks again is told. */
const isWithoutState = (answer: unknown): answer is RpcRefusal =>
  answer instanceof RpcRefusal && answer.code !== LIMIT_EXCEEDED
const LIMIT_EXCEEDED = -32005

const headerAt = ({ number }: Place): Call => blockAt(number)
const blockParameter = ({ number, hash }: Place) => (hash === undefined ? toQuantity(number) : { blockHash: hash })
const balanceCall = (address: string, place: Place): Call => ({
  method: 'eth_getBalance',
  params: [address, blockParameter(place)],
})
const balanceOf = (answer: Answer): bigint => readBigint(answered(answer), 'a balance')

/** Null where the node has another block at this place. */
const witnessed = ({ number, hash: wanted }: Place, [block, after, ...before]: readonly Answer[]) => {
  const header = findHeader(answered(block), { number })
  if (!header || (wanted !== undefined && wanted !== header.hash)) return null
  const { hash, timestamp } = header
  return { hash, timestamp, after: balanceOf(after), before: before.length > 0 ? balanceOf(before[0]) : null }
}

/**
 * Run as the making of a contract, it answers the balance of every address that stands behind it in place of that
 * contract's code, which is held to 24,576 bytes.
 */
const BALANCES_CODE = '0x5f60275b388110156023576014818339815160601c31825260140190602001906003565b505ff3'
const ADDRESSES_AT_ONCE = 768

const balancesCall = (addresses: readonly string[], place: Place): Call => ({
  method: 'eth_call',
  params: [{ data: BALANCES_CODE + addresses.map(address => address.slice(2)).join('') }, blockParameter(place)],
})

const wordsOf = (answer: Answer, count: number): readonly bigint[] => {
  const words = readBytes(answered(answer), 'balances', 32 * count)
  return Array.from({ length: count }, (_, at) => BigInt(`0x${words.slice(2 + 64 * at, 66 + 64 * at)}`))
}

import type { Hex } from 'viem'
import { encodeDeployData, isHex, parseAbi } from 'viem/utils'
import holdings from '../contracts/holdings.json' with { type: 'json' }
import type { Ask } from '../rpc/ask.ts'
import { answered, RpcFault } from '../rpc/rpc.ts'

export type Holding = {
  readonly address: Hex
  /** Whether it has been swept before. */
  readonly deployed: boolean
  readonly coins: bigint
  /** In the order the tokens were asked for; undefined where one would not say. */
  readonly tokens: readonly (bigint | undefined)[]
}

/** What many addresses hold, hundreds of them in a call, on any chain and without a contract of ours there. */
export const readHoldings = async (
  ask: Ask,
  addresses: readonly Hex[],
  tokens: readonly Hex[],
  block: 'latest' | { readonly blockHash: string } = 'latest',
): Promise<readonly Holding[]> => {
  const width = tokens.length + 2
  const parts = partsOf(addresses, Math.floor((mostWords - 1) / width))
  const answers: unknown[] = []
  for (const some of partsOf(parts, callsAtOnce)) {
    answers.push(
      ...(await ask(some.map(part => ({ method: 'eth_call', params: [{ data: initCode(part, tokens) }, block] })))),
    )
  }
  return parts.flatMap((part, at) => {
    const words = wordsOf(answers[at], part.length * width)
    return part.map((address, row) => holdingOf(address, words.slice(row * width, (row + 1) * width)))
  })
}

// What is answered in place of a contract's code is held to the size of one: 24,576 bytes.
const mostWords = 768
const callsAtOnce = 8

export const partsOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))

const initCode = (addresses: readonly Hex[], tokens: readonly Hex[]): Hex =>
  encodeDeployData({ abi, bytecode: `0x${holdings.bytecode.slice(2)}`, args: [addresses, tokens] })

const abi = parseAbi(['constructor(address[] holders, address[] tokens)'])

/** The count stands before them. */
const wordsOf = (answer: unknown, count: number): readonly bigint[] => {
  const words = answered(answer)
  if (!isHex(words) || words.length !== 2 + 64 * (count + 1)) throw new RpcFault('garbage', 'what addresses hold')
  return Array.from({ length: count }, (_, at) => BigInt(`0x${words.slice(66 + 64 * at, 130 + 64 * at)}`))
}

const holdingOf = (address: Hex, [size, coins, ...tokens]: readonly bigint[]): Holding => ({
  address,
  deployed: size !== 0n,
  coins: coins ?? 0n,
  tokens: tokens.map(amount => (amount === unknown ? undefined : amount)),
})

const unknown = 2n ** 256n - 1n

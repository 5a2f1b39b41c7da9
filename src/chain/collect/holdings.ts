import type { Hex } from 'viem'
import { encodeDeployData, isHex, parseAbi } from 'viem/utils'
import holdings from '../contracts/holdings.json' with { type: 'json' }
import type { Ask } from '../rpc/ask.ts'
import { RpcFault, resultOf } from '../rpc/rpc.ts'

export type Holding = {
  readonly address: Hex
  /** Whether it has been swept before. */
  readonly deployed: boolean
  readonly native: bigint
  /** In the order of the requested tokens; undefined where a token does not answer. */
  readonly tokens: readonly (bigint | undefined)[]
}

/**
 * Reads the balances of many addresses, hundreds of them in a call. Works on every chain, without a deployed contract.
 */
export const readHoldings = async (
  ask: Ask,
  addresses: readonly Hex[],
  tokens: readonly Hex[],
  block: 'latest' | { readonly blockHash: string } = 'latest',
): Promise<readonly Holding[]> => {
  const width = tokens.length + 2
  const parts = partsOf(addresses, Math.floor((MAX_WORDS - 1) / width))
  const answers: unknown[] = []
  for (const some of partsOf(parts, CALLS_PER_BATCH)) {
    answers.push(
      ...(await ask(some.map(part => ({ method: 'eth_call', params: [{ data: initCode(part, tokens) }, block] })))),
    )
  }
  return parts.flatMap((part, at) => {
    const words = wordsOf(answers[at], part.length * width)
    return part.map((address, row) => holdingOf(address, words.slice(row * width, (row + 1) * width)))
  })
}

// The answer is returned as the code of a new contract, which is limited to 24,576 bytes.
const MAX_WORDS = 768
const CALLS_PER_BATCH = 8

export const partsOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))

const initCode = (addresses: readonly Hex[], tokens: readonly Hex[]): Hex =>
  encodeDeployData({ abi, bytecode: `0x${holdings.bytecode.slice(2)}`, args: [addresses, tokens] })

const abi = parseAbi(['constructor(address[] holders, address[] tokens)'])

/** The first word is the number of words that follow. */
const wordsOf = (answer: unknown, count: number): readonly bigint[] => {
  const words = resultOf(answer)
  if (!isHex(words) || words.length !== 2 + 64 * (count + 1)) throw new RpcFault('garbage', 'balances of addresses')
  return Array.from({ length: count }, (_, at) => BigInt(`0x${words.slice(66 + 64 * at, 130 + 64 * at)}`))
}

const holdingOf = (address: Hex, [size, native, ...tokens]: readonly bigint[]): Holding => ({
  address,
  deployed: size !== 0n,
  native: native ?? 0n,
  tokens: tokens.map(amount => (amount === UNKNOWN_BALANCE ? undefined : amount)),
})

const UNKNOWN_BALANCE = 2n ** 256n - 1n

import type { Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem/utils'
import { factory, factoryAbi } from '../forwarder.ts'
import { type Ask, findHex } from '../rpc/ask.ts'
import { readBigint } from '../rpc/hex.ts'
import { RpcFault, RpcRefusal } from '../rpc/rpc.ts'
import { partsOf } from './holdings.ts'

/** A deposit address by its salt, and the tokens to sweep from it. The zero address stands for the native currency. */
export type DepositToSweep = { readonly salt: Hex; readonly tokens: readonly Hex[] }

/** A transaction that sweeps addresses. Any account may send it. */
export type Sweep = {
  readonly to: Hex
  readonly data: Hex
  readonly gasLimit: bigint
  readonly gasPerAddress: number
  readonly salts: readonly Hex[]
  readonly tokens: readonly Hex[]
}

export type SweepPlan = {
  readonly sweeps: readonly Sweep[]
  /** Transfers that would fail now: the token or the treasury refuses them. */
  readonly leftOut: readonly { readonly salt: Hex; readonly token: Hex }[]
}

/** Plans the fewest transactions that sweep all deposits to the treasury. The factory must be deployed. */
export const planSweeps = async (ask: Ask, treasury: Hex, deposits: readonly DepositToSweep[]): Promise<SweepPlan> => {
  const tokens = [...new Set(deposits.flatMap(deposit => deposit.tokens))]
  const movable = new Map<Hex, ReadonlySet<Hex>>()
  for (const token of tokens) {
    const salts = deposits.filter(deposit => deposit.tokens.includes(token)).map(({ salt }) => salt)
    const moved: Hex[] = []
    for (const some of partsOf(salts, MAX_ADDRESSES_PER_SWEEP))
      moved.push(...(await trySweep(ask, treasury, some, token)))
    movable.set(token, new Set(moved))
  }
  const moves = (salt: Hex, token: Hex) => movable.get(token)?.has(salt) === true
  const moving = deposits
    .map(({ salt, tokens }) => ({ salt, tokens: tokens.filter(token => moves(salt, token)) }))
    .filter(({ tokens }) => tokens.length > 0)

  const sweeps: Sweep[] = []
  for (const { salts, tokens } of bySameTokens(moving)) {
    for (const some of partsOf(salts, MAX_ADDRESSES_PER_SWEEP))
      sweeps.push(...(await estimate(ask, treasury, some, tokens)))
  }
  const leftOut = deposits.flatMap(({ salt, tokens }) =>
    tokens.filter(token => !moves(salt, token)).map(token => ({ salt, token })),
  )
  return { sweeps, leftOut }
}

/** Addresses in one transaction. */
export const MAX_ADDRESSES_PER_SWEEP = 200

// The gas limit of a transaction is 16,777,216 (EIP-7825). The rest is a margin for changes between estimate and
// inclusion.
const MAX_GAS = 15_000_000n

/**
 * Returns the salts from which the token can be transferred now. A token that uses all gas makes the call for many
 * salts fail, so a failed call is split until single salts are tested.
 */
const trySweep = async (ask: Ask, treasury: Hex, salts: readonly Hex[], token: Hex): Promise<readonly Hex[]> => {
  const call = { to: factory, data: collectOf(treasury, salts, [token]), gas: numberToHex(MAX_GAS) }
  const answer = await findHex(ask, 'eth_call', [call, 'latest'])
  if (answer !== undefined) {
    const swept = sweptOf(answer)
    return salts.filter((_, at) => swept[at])
  }
  const [first, second] = halvesOf(salts)
  if (!first || !second) return []
  return [...(await trySweep(ask, treasury, first, token)), ...(await trySweep(ask, treasury, second, token))]
}

const sweptOf = (answer: Hex): readonly boolean[] => {
  try {
    return decodeFunctionResult({ abi: factoryAbi, functionName: 'collect', data: answer })
  } catch {
    throw new RpcFault('garbage', 'the result of a test collection')
  }
}

/** One transaction, or several where the gas limit requires it. */
const estimate = async (
  ask: Ask,
  treasury: Hex,
  salts: readonly Hex[],
  tokens: readonly Hex[],
): Promise<readonly Sweep[]> => {
  const data = collectOf(treasury, salts, tokens)
  const answer = await findHex(ask, 'eth_estimateGas', [{ to: factory, data }])
  const gas = answer && readBigint(answer, 'the gas of a collection')
  if (gas !== undefined && gas <= MAX_GAS) {
    const gasPerAddress = Math.ceil(Number(gas) / salts.length)
    return [{ to: factory, data, gasLimit: gas + gas / 20n, gasPerAddress, salts, tokens }]
  }
  const [first, second] = halvesOf(salts)
  // The transfer succeeded in the test call: the node cannot estimate, or one address holds more tokens than fit into a
  // transaction.
  if (!first || !second) throw new RpcRefusal('eth_estimateGas', -32000)
  return [...(await estimate(ask, treasury, first, tokens)), ...(await estimate(ask, treasury, second, tokens))]
}

const collectOf = (treasury: Hex, salts: readonly Hex[], tokens: readonly Hex[]): Hex =>
  encodeFunctionData({ abi: factoryAbi, functionName: 'collect', args: [treasury, salts, tokens] })

const halvesOf = <T>(all: readonly T[]): readonly (readonly T[])[] => partsOf(all, Math.ceil(all.length / 2))

/**
 * A transaction sweeps each of its tokens from each of its addresses, so addresses with the same tokens are grouped.
 */
const bySameTokens = (deposits: readonly DepositToSweep[]): readonly Group[] => {
  const groups = Map.groupBy(deposits, ({ tokens }) => tokens.toSorted().join())
  return [...groups.values()].flatMap(group =>
    group.slice(0, 1).map(({ tokens }) => ({ salts: group.map(({ salt }) => salt), tokens })),
  )
}

type Group = { readonly salts: readonly Hex[]; readonly tokens: readonly Hex[] }

import type { Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem/utils'
import { factory, factoryAbi } from '../forwarder.ts'
import { type Ask, findHex } from '../rpc/ask.ts'
import { readBigint } from '../rpc/hex.ts'
import { RpcFault, RpcRefusal } from '../rpc/rpc.ts'
import { partsOf } from './holdings.ts'

/** An address by its salt, and the tokens to be swept from it; the zero address stands for coins. */
export type DepositToSweep = { readonly salt: Hex; readonly tokens: readonly Hex[] }

/** A transaction that anybody may send. */
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
  /** What would not move now: its token or the treasury refuses. */
  readonly leftOut: readonly { readonly salt: Hex; readonly token: Hex }[]
}

/** The fewest transactions that sweep all this to the treasury; the factory has to be on the chain. */
export const planSweeps = async (ask: Ask, treasury: Hex, deposits: readonly DepositToSweep[]): Promise<SweepPlan> => {
  const tokens = [...new Set(deposits.flatMap(deposit => deposit.tokens))]
  const movable = new Map<Hex, ReadonlySet<Hex>>()
  for (const token of tokens) {
    const salts = deposits.filter(deposit => deposit.tokens.includes(token)).map(({ salt }) => salt)
    const moved: Hex[] = []
    for (const some of partsOf(salts, mostAddresses)) moved.push(...(await trySweep(ask, treasury, some, token)))
    movable.set(token, new Set(moved))
  }
  const moves = (salt: Hex, token: Hex) => movable.get(token)?.has(salt) === true
  const moving = deposits
    .map(({ salt, tokens }) => ({ salt, tokens: tokens.filter(token => moves(salt, token)) }))
    .filter(({ tokens }) => tokens.length > 0)

  const sweeps: Sweep[] = []
  for (const { salts, tokens } of bySameTokens(moving)) {
    for (const some of partsOf(salts, mostAddresses)) sweeps.push(...(await estimate(ask, treasury, some, tokens)))
  }
  const leftOut = deposits.flatMap(({ salt, tokens }) =>
    tokens.filter(token => !moves(salt, token)).map(token => ({ salt, token })),
  )
  return { sweeps, leftOut }
}

/** In one transaction. */
export const mostAddresses = 200

// Chains hold a transaction to 16,777,216 (EIP-7825); the rest is for what happens between estimate and block.
const mostGas = 15_000_000n

/**
 * Those of the salts from which the token would move now. A token that eats all gas takes a trial of many
 * down, so that trial is split until it shows whose sweeps fail by themselves.
 */
const trySweep = async (ask: Ask, treasury: Hex, salts: readonly Hex[], token: Hex): Promise<readonly Hex[]> => {
  const call = { to: factory, data: collectOf(treasury, salts, [token]), gas: numberToHex(mostGas) }
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
    throw new RpcFault('garbage', 'a trial of a collection')
  }
}

/** One transaction, or as many as the gas of it makes necessary. */
const estimate = async (
  ask: Ask,
  treasury: Hex,
  salts: readonly Hex[],
  tokens: readonly Hex[],
): Promise<readonly Sweep[]> => {
  const data = collectOf(treasury, salts, tokens)
  const answer = await findHex(ask, 'eth_estimateGas', [{ to: factory, data }])
  const gas = answer && readBigint(answer, 'the gas of a collection')
  if (gas !== undefined && gas <= mostGas) {
    const gasPerAddress = Math.ceil(Number(gas) / salts.length)
    return [{ to: factory, data, gasLimit: gas + gas / 20n, gasPerAddress, salts, tokens }]
  }
  const [first, second] = halvesOf(salts)
  // It moved a moment ago: the node cannot estimate, or one address holds more tokens than a transaction takes.
  if (!first || !second) throw new RpcRefusal('eth_estimateGas', -32000)
  return [...(await estimate(ask, treasury, first, tokens)), ...(await estimate(ask, treasury, second, tokens))]
}

const collectOf = (treasury: Hex, salts: readonly Hex[], tokens: readonly Hex[]): Hex =>
  encodeFunctionData({ abi: factoryAbi, functionName: 'collect', args: [treasury, salts, tokens] })

const halvesOf = <T>(all: readonly T[]): readonly (readonly T[])[] => partsOf(all, Math.ceil(all.length / 2))

/** A transaction sweeps each of its tokens from each of its addresses, so those that hold the same go together. */
const bySameTokens = (deposits: readonly DepositToSweep[]): readonly Group[] => {
  const groups = Map.groupBy(deposits, ({ tokens }) => tokens.toSorted().join())
  return [...groups.values()].flatMap(group =>
    group.slice(0, 1).map(({ tokens }) => ({ salts: group.map(({ salt }) => salt), tokens })),
  )
}

type Group = { readonly salts: readonly Hex[]; readonly tokens: readonly Hex[] }

import type { Hex } from 'viem'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { type Ask, findHex } from '../chain/rpc/ask.ts'
import { readBigint, readNumber } from '../chain/rpc/hex.ts'
import { type Rpc, RpcFault, resultOf } from '../chain/rpc/rpc.ts'
import { readHighest } from './counts.ts'
import type { Wallet } from './judge.ts'

/** The balances and what they have paid for are of one moment of one node; pending transactions are asked of all. */
export const readWallet = async (
  rpc: Pick<Rpc, 'every'>,
  ask: Ask,
  address: Hex,
  token: string | null,
): Promise<Wallet> => {
  const [answers, highest] = await Promise.all([ask(callsOf(address, token)), readHighest(rpc, address)])
  const [mined, coins, tokens] = answers.map(resultOf)
  const minedTo = readNumber(mined, 'a nonce')
  return {
    minedTo,
    pendingTo: Math.max(minedTo, highest),
    coins: readBigint(coins, 'a balance'),
    tokens: token === null ? 0n : readWord(tokens),
  }
}

const callsOf = (address: Hex, token: string | null) => [
  { method: 'eth_getTransactionCount', params: [address, 'latest'] },
  { method: 'eth_getBalance', params: [address, 'latest'] },
  ...(token === null ? [] : [{ method: 'eth_call', params: [{ to: token, data: balanceOf(address) }, 'latest'] }]),
]

type Call = { readonly from: Hex; readonly to: Hex; readonly data: Hex; readonly value: bigint }

/** With a margin: what it takes may change until it is in a block. Undefined where the node says that it cannot work. */
export const estimateGas = async (ask: Ask, { from, to, data, value }: Call): Promise<bigint | undefined> => {
  const call = { from, to, data, value: `0x${value.toString(16)}` }
  const gas = await findHex(ask, 'eth_estimateGas', [call])
  if (gas === undefined) return undefined
  const needed = readBigint(gas, 'eth_estimateGas')
  // No transfer takes so much, and a block has no room for it.
  if (needed > MOST_GAS) return undefined
  return needed === PLAIN ? needed : (needed * 13n) / 10n
}

/** Of coins to an address without code, which takes exactly this. */
const PLAIN = 21_000n
const MOST_GAS = 2_000_000n

const balanceOf = (address: Hex): Hex =>
  encodeFunctionData({ abi: parseAbi(['function balanceOf(address)']), args: [address] })

const readWord = (answer: unknown): bigint => {
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/i.test(answer)) throw new RpcFault('garbage', 'a balance')
  return BigInt(answer)
}

import type { Hex } from 'viem'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { type Ask, findHex } from '../chain/collect/ask.ts'
import { readBigint, readNumber } from '../chain/rpc/hex.ts'
import { answered, RpcFault } from '../chain/rpc/rpc.ts'
import type { Wallet } from './judge.ts'

export const readWallet = async (ask: Ask, address: Hex, token: string | null): Promise<Wallet> => {
  const answers = await ask([
    { method: 'eth_getTransactionCount', params: [address, 'latest'] },
    { method: 'eth_getTransactionCount', params: [address, 'pending'] },
    { method: 'eth_getBalance', params: [address, 'latest'] },
    ...(token === null ? [] : [{ method: 'eth_call', params: [{ to: token, data: balanceOf(address) }, 'latest'] }]),
  ])
  const [minedTo, pendingTo, coins, tokens] = answers.map(answered)
  return {
    minedTo: readNumber(minedTo, 'a nonce'),
    pendingTo: readNumber(pendingTo, 'a nonce'),
    coins: readBigint(coins, 'a balance'),
    tokens: token === null ? 0n : readWord(tokens),
  }
}

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

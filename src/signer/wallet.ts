import type { Hex } from 'viem'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { type Ask, findHex } from '../chain/rpc/ask.ts'
import { readBigint, readNumber } from '../chain/rpc/hex.ts'
import { type Rpc, RpcFault, resultOf } from '../chain/rpc/rpc.ts'
import { readHighestNonce } from './nonce-counts.ts'
import type { SignerWallet } from './signing-checks.ts'

/** Balances and the mined count come from one batch call to one node. Pending counts come from all nodes. */
export const readWallet = async (
  rpc: Pick<Rpc, 'every'>,
  ask: Ask,
  address: Hex,
  token: string | null,
): Promise<SignerWallet> => {
  const [answers, highest] = await Promise.all([ask(callsOf(address, token)), readHighestNonce(rpc, address)])
  const [mined, native, tokens] = answers.map(resultOf)
  const minedTo = readNumber(mined, 'a nonce')
  return {
    minedTo,
    pendingTo: Math.max(minedTo, highest),
    native: readBigint(native, 'a balance'),
    tokens: token === null ? 0n : readWord(tokens),
  }
}

const callsOf = (address: Hex, token: string | null) => [
  { method: 'eth_getTransactionCount', params: [address, 'latest'] },
  { method: 'eth_getBalance', params: [address, 'latest'] },
  ...(token === null ? [] : [{ method: 'eth_call', params: [{ to: token, data: balanceOf(address) }, 'latest'] }]),
]

type Call = { readonly from: Hex; readonly to: Hex; readonly data: Hex; readonly value: bigint }

/** With a margin, because the gas may change until it is mined. Undefined if the node predicts that the call fails. */
export const estimateGas = async (ask: Ask, { from, to, data, value }: Call): Promise<bigint | undefined> => {
  const call = { from, to, data, value: `0x${value.toString(16)}` }
  const gas = await findHex(ask, 'eth_estimateGas', [call])
  if (gas === undefined) return undefined
  const needed = readBigint(gas, 'eth_estimateGas')
  // No transfer needs this much.
  if (needed > MAX_GAS) return undefined
  return needed === PLAIN_TRANSFER_GAS ? needed : (needed * 13n) / 10n
}

/** A transfer of native currency to an address without code takes exactly this. */
const PLAIN_TRANSFER_GAS = 21_000n
const MAX_GAS = 2_000_000n

const balanceOf = (address: Hex): Hex =>
  encodeFunctionData({ abi: parseAbi(['function balanceOf(address)']), args: [address] })

const readWord = (answer: unknown): bigint => {
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/i.test(answer)) throw new RpcFault('garbage', 'a balance')
  return BigInt(answer)
}

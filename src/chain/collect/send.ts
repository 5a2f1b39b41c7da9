import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import type { Hex, PrivateKeyAccount } from 'viem'
import { keccak256 } from 'viem/utils'
import { StartError } from '../../start-error.ts'
import { readBigint } from '../rpc/hex.ts'
import { findReceipt, type Receipt } from '../rpc/receipt.ts'
import { RpcRefusal } from '../rpc/rpc.ts'
import { type Ask, findHex, getBigint } from './ask.ts'

export type Transaction = { readonly to: Hex; readonly data: Hex; readonly gasLimit: bigint }

/** Signs and sends one transaction, and waits until it is in a block. */
export const sendAndWait = async (
  ask: Ask,
  account: PrivateKeyAccount,
  chainId: number,
  { to, data, gasLimit }: Transaction,
): Promise<Receipt> => {
  const nonce = await getBigint(ask, 'eth_getTransactionCount', [account.address, 'pending'])
  const fees = await readFees(ask)
  const signed = await account.signTransaction({ chainId, nonce: Number(nonce), to, data, gas: gasLimit, ...fees })
  const hash = keccak256(signed)
  const [answer] = await ask([{ method: 'eth_sendRawTransaction', params: [signed] }])
  // Where the first answer was lost, the node refuses what it already has.
  if (answer instanceof RpcRefusal && !(await isKnown(ask, hash)))
    throw new StartError(`${answer.message}: has ${account.address} the coins for its gas?`)
  return await waitFor(ask, hash)
}

/** Room for the base fee to double, since a transaction that no block takes would hold the next ones up. */
const readFees = async (ask: Ask) => {
  const [latest] = await ask([{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  const gasPrice = await getBigint(ask, 'eth_gasPrice', [])
  const block = blockWithFee(latest)
  if (block instanceof type.errors) return { type: 'legacy', gasPrice } as const
  const baseFee = BigInt(block.baseFeePerGas)
  const tip = await findHex(ask, 'eth_maxPriorityFeePerGas', [])
  const over = gasPrice > baseFee ? gasPrice - baseFee : 0n
  const maxPriorityFeePerGas = tip === undefined ? over : readBigint(tip, 'eth_maxPriorityFeePerGas')
  return { type: 'eip1559', maxPriorityFeePerGas, maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas } as const
}

const isKnown = async (ask: Ask, hash: Hex): Promise<boolean> => {
  const [transaction] = await ask([{ method: 'eth_getTransactionByHash', params: [hash] }])
  return sent.allows(transaction)
}

const waitFor = async (ask: Ask, hash: Hex): Promise<Receipt> => {
  for (let asked = 0; asked < mostAsked; asked++) {
    const [answer] = await ask([{ method: 'eth_getTransactionReceipt', params: [hash] }])
    const receipt = answer instanceof RpcRefusal ? undefined : findReceipt(answer, hash)
    if (receipt?.status === 'reverted') throw new StartError(`The transaction ${hash} failed: run this again`)
    if (receipt) return receipt
    await sleep(everyMs)
  }
  throw new StartError(`The transaction ${hash} is in no block yet: run this again when it is`)
}

const everyMs = 500
// Ten minutes.
const mostAsked = 1200

const blockWithFee = type({ baseFeePerGas: '/^0x[0-9a-f]+$/' })
const sent = type({ hash: 'string' })

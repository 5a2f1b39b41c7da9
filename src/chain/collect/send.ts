import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex, PrivateKeyAccount } from 'viem'
import { keccak256 } from 'viem/utils'
import { StartError } from '../../process/start-error.ts'
import { type Ask, getBigint } from '../rpc/ask.ts'
import { broadcast } from '../rpc/broadcast.ts'
import { readFees } from '../rpc/fees.ts'
import { findReceipt, type Receipt, receiptCall } from '../rpc/receipt.ts'
import { RpcRefusal } from '../rpc/rpc.ts'

export type TransactionRequest = { readonly to: Hex; readonly data: Hex; readonly gasLimit: bigint }

/** Signs and sends one transaction, and waits until it is in a block. */
export const sendAndWait = async (
  ask: Ask,
  account: PrivateKeyAccount,
  chainId: number,
  { to, data, gasLimit }: TransactionRequest,
): Promise<Receipt> => {
  const nonce = await getBigint(ask, 'eth_getTransactionCount', [account.address, 'pending'])
  const fees = await readFees(ask)
  const signed = await account.signTransaction({ chainId, nonce: Number(nonce), to, data, gas: gasLimit, ...fees })
  const hash = keccak256(signed)
  const refused = await broadcast(ask, signed, hash)
  if (refused) throw new StartError(`${refused.message}: check that ${account.address} has native currency for gas`)
  return await waitFor(ask, hash)
}

const waitFor = async (ask: Ask, hash: Hex): Promise<Receipt> => {
  for (let asked = 0; asked < MAX_POLLS; asked++) {
    const [answer] = await ask([receiptCall(hash)])
    const receipt = answer instanceof RpcRefusal ? undefined : findReceipt(answer, hash)
    if (receipt?.status === 'reverted')
      throw new StartError(`The transaction ${hash} has failed: run this command again`)
    if (receipt) return receipt
    await sleep(POLL_MS)
  }
  throw new StartError(`The transaction ${hash} is not in a block yet: run this command again when it is`)
}

const POLL_MS = 500
// Ten minutes.
const MAX_POLLS = 1200

import type { PrivateKeyAccount } from 'viem'
import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import { refundTransfer } from '../chain/refunds/transfer.ts'
import type { Ask } from '../chain/rpc/ask.ts'
import { capFees, type Fees, maxFeeOf, readFees } from '../chain/rpc/fees.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { readSigningBooks, type WaitReason } from '../queries/signing.ts'
import type { SigningDesk } from './desk.ts'
import { judgeBooks, judgeWallet } from './judge.ts'
import { estimateGas, readWallet } from './wallet.ts'

export type SigningPlan = { readonly nonce: number; readonly gas: bigint; readonly fees: Fees }
type Given = { readonly signer: Signer; readonly account: PrivateKeyAccount; readonly refund: Actor<Refund> }

/** What is to be signed, if anything may be. */
export const planFor = async (
  desk: SigningDesk,
  { rpc, ask }: { readonly rpc: Rpc; readonly ask: Ask },
  { signer, account, refund: { id, context } }: Given,
): Promise<SigningPlan | WaitReason | 'off'> => {
  // The wallet first: see judgeBooks.
  const wallet = await readWallet(rpc, ask, account.address, context.tokenAddress)
  const books = await readSigningBooks(desk.sql, { signerId: signer.id, minedTo: wallet.minedTo, id, refund: context })
  // It may have been its turn long after it was found.
  if (!books.isOn) return 'off'
  // Anybody has the sandbox's keys, and may send from them.
  const isSandbox = signer.epoch !== null
  const refused = isSandbox ? undefined : judgeBooks(context, wallet, books)
  if (refused) return refused
  const nonce = isSandbox ? Math.max(books.nextNonce, wallet.minedTo, wallet.pendingTo) : books.nextNonce
  const fees = capFees(await readFees(ask))
  // Before the gas is asked for, which a node refuses to tell of a transfer that cannot be paid.
  const tooPoor = judgeWallet(context, wallet, books, 0n)
  if (tooPoor) return tooPoor
  const gas = await estimateGas(ask, { from: account.address, ...transferOfRefund(id, context) })
  if (gas === undefined) return wallet.coins === 0n ? 'no_gas' : 'refused'
  return judgeWallet(context, wallet, books, gas * maxFeeOf(fees)) ?? { nonce, gas, fees }
}

export const transferOfRefund = (id: string, { tokenAddress, destination, amount }: Refund) => {
  if (destination === null) throw new TypeError('a refund without a destination cannot be sent')
  return refundTransfer({ id, tokenAddress, destination, amount })
}

import type { PrivateKeyAccount } from 'viem'
import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import { refundTransfer } from '../chain/refunds/transfer.ts'
import type { Ask } from '../chain/rpc/ask.ts'
import { capFees, type Fees, maxFeeOf, readFees } from '../chain/rpc/fees.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { readSigningFacts, type WaitReason } from '../queries/signing.ts'
import { checkBalance, checkSigningAllowed } from './signing-checks.ts'
import type { SigningServices } from './signing-services.ts'
import { estimateGas, readWallet } from './wallet.ts'

export type SigningPlan = { readonly nonce: number; readonly gas: bigint; readonly fees: Fees }
type Given = { readonly signer: Signer; readonly account: PrivateKeyAccount; readonly refund: Actor<Refund> }

/**
 * Decides what to sign. Returns a reason if nothing may be signed now, and `off` if the signer is not to sign it at
 * all.
 */
export const planFor = async (
  services: SigningServices,
  { rpc, ask }: { readonly rpc: Rpc; readonly ask: Ask },
  { signer, account, refund: { id, context } }: Given,
): Promise<SigningPlan | WaitReason | 'off'> => {
  // The wallet first: see checkSigningAllowed.
  const wallet = await readWallet(rpc, ask, account.address, context.tokenAddress)
  const facts = await readSigningFacts(services.sql, {
    signerId: signer.id,
    minedTo: wallet.minedTo,
    id,
    refund: context,
  })
  // The signer may have been disabled since the refund was found.
  if (!facts.isOn) return 'off'
  // Sandbox keys are public, so others may send transactions with them.
  const isSandbox = signer.epoch !== null
  const refused = isSandbox ? undefined : checkSigningAllowed(context, wallet, facts)
  if (refused) return refused
  const nonce = isSandbox ? Math.max(facts.nextNonce, wallet.minedTo, wallet.pendingTo) : facts.nextNonce
  const fees = capFees(await readFees(ask))
  // Before gas is estimated, which a node refuses for a transfer that exceeds the balance.
  const tooPoor = checkBalance(context, wallet, facts, 0n)
  if (tooPoor) return tooPoor
  const gas = await estimateGas(ask, { from: account.address, ...transferOfRefund(id, context) })
  if (gas === undefined) return wallet.native === 0n ? 'no_gas' : 'refused'
  return checkBalance(context, wallet, facts, gas * maxFeeOf(fees)) ?? { nonce, gas, fees }
}

export const transferOfRefund = (id: string, { tokenAddress, destination, amount }: Refund) => {
  if (destination === null) throw new TypeError('a refund without a destination cannot be sent')
  return refundTransfer({ id, tokenAddress, destination, amount })
}

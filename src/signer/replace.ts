import { keccak256 } from 'viem/utils'
import type { Ask } from '../chain/rpc/ask.ts'
import type { Signer } from '../queries/refund-signers.ts'
import type { OpenNonce } from '../queries/signer-nonces.ts'
import { findUnsigned } from '../queries/signing.ts'
import type { SigningDesk } from './desk.ts'
import { fillNonce } from './fill.ts'
import { accountOf } from './key.ts'
import { nextFees } from './offer.ts'
import { isPaidBy } from './paid-by.ts'
import { transferOfRefund } from './plan.ts'
import { transactionRow } from './rows.ts'
import { broadcastSigned } from './send.ts'
import { warnOnce } from './warn-once.ts'

/**
 * Signs the same for the same number at a higher fee, so that one of the two at most is ever mined. As with the first
 * one, the refund knows its hash before any node does.
 */
export const replaceLatest = async (
  desk: SigningDesk,
  ask: Ask,
  { signer, open }: { signer: Signer; open: OpenNonce },
): Promise<void> => {
  const account = accountOf(desk.keyring, signer)
  const latest = open.attempts.at(-1)
  if (!latest) return
  if (!account) {
    const action = 'start with the SECRET_KEY that encrypted the signer key'
    return warnOnce(
      desk,
      signer,
      { nonce: open.nonce, action },
      'refund transaction not replaced, signer key unreadable',
    )
  }
  if (open.refundId === null) return fillNonce(desk, ask, { signer, nonce: open.nonce, open })
  const refund = (await findUnsigned(desk.sql, open.refundId))?.refund
  if (!refund || !isPaidBy(refund, open)) return
  const { nonce } = open
  const { gas } = latest
  const chainId = refund.context.chainId
  const transfer = transferOfRefund(refund.id, refund.context)
  const fees = await nextFees(desk, ask, { signer, open, gas, value: transfer.value })
  if (!fees) return
  const raw = await account.signTransaction({ chainId, nonce, gas, ...transfer, ...fees })
  const signed = {
    signerId: signer.id,
    chainId,
    nonce,
    attempt: latest.attempt + 1,
    raw,
    hash: keccak256(raw),
    gas,
    fees,
  }
  const outcome = await desk.actors.dispatch({
    ...{ kind: 'refund', actor: refund.id, cause: `signer:${signer.address}` },
    event: { type: 'transaction_replaced', txHash: signed.hash, instead: refund.context.txHash },
    rows: [transactionRow(signed)],
  })
  await desk.at?.('replaced')
  if (outcome.ok) await broadcastSigned(desk, ask, signed)
}

import { keccak256 } from 'viem/utils'
import type { Ask } from '../chain/rpc/ask.ts'
import type { Signer } from '../queries/refund-signers.ts'
import type { OpenNonce } from '../queries/signer-nonces.ts'
import { findUnsigned } from '../queries/signing.ts'
import { fillNonceGap } from './fill-nonce-gap.ts'
import { accountOf } from './key.ts'
import { nextFees } from './next-fees.ts'
import { isPaidBy } from './paid-by.ts'
import { transferOfRefund } from './plan.ts'
import { transactionRow } from './rows.ts'
import { broadcastSigned } from './send.ts'
import type { SigningServices } from './signing-services.ts'
import { warnOnce } from './warn-once.ts'

/**
 * Signs the same transfer with the same nonce and a higher fee, so that at most one of the two is mined. As with the
 * first attempt, the refund has the new hash before it is sent to a node.
 */
export const replaceLatest = async (
  services: SigningServices,
  ask: Ask,
  { signer, open }: { signer: Signer; open: OpenNonce },
): Promise<void> => {
  const account = accountOf(services.keyring, signer)
  const latest = open.attempts.at(-1)
  if (!latest) return
  if (!account) {
    const action = 'start with the SECRET_KEY that encrypted the signer key'
    return warnOnce(
      services,
      signer,
      { nonce: open.nonce, action },
      'refund transaction not replaced, signer key unreadable',
    )
  }
  if (open.refundId === null) return fillNonceGap(services, ask, { signer, nonce: open.nonce, open })
  const refund = (await findUnsigned(services.sql, open.refundId))?.refund
  if (!refund || !isPaidBy(refund, open)) return
  const { nonce } = open
  const { gas } = latest
  const chainId = refund.context.chainId
  const transfer = transferOfRefund(refund.id, refund.context)
  const fees = await nextFees(services, ask, { signer, open, gas, value: transfer.value })
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
  const outcome = await services.actors.dispatch({
    ...{ kind: 'refund', actor: refund.id, cause: `signer:${signer.address}` },
    event: { type: 'transaction_replaced', txHash: signed.hash, instead: refund.context.txHash },
    rows: [transactionRow(signed)],
  })
  await services.onStep?.('replaced')
  if (outcome.ok) await broadcastSigned(services, ask, signed)
}

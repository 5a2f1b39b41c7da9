import type { Command } from '../actors/command.ts'
import { blockCall, isBlock } from '../chain/rpc/block.ts'
import { readNumber, toQuantity } from '../chain/rpc/hex.ts'
import { findReceipt, receiptCall } from '../chain/rpc/receipt.ts'
import { agreedOn, type Rpc, resultOf } from '../chain/rpc/rpc.ts'
import { encodeId, uuidFrom } from '../ids.ts'
import { reservationEventOf } from '../kinds/refund.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { closeNonce, listOpenNonces, type OpenNonce, putSearchOff } from '../queries/signer-nonces.ts'
import { findUnsigned } from '../queries/signing.ts'
import { type Final, findFinal } from '../queries/submissions.ts'
import type { SigningDesk } from './desk.ts'
import { isPaidBy } from './paid-by.ts'
import { transferOfRefund } from './plan.ts'
import { findUsedBy, type UsedBy } from './used-by.ts'

type Used = { readonly signer: Signer; readonly mined: readonly OpenNonce[] }

/**
 * Tells refunds which of their transactions are in blocks, and closes the numbers that are final. What a transaction
 * has paid is for others to say (src/chain/refunds).
 */
export const settleNonces = async (desk: SigningDesk, rpc: Rpc, { signer, mined }: Used): Promise<void> => {
  const final = await findFinal(desk.sql, Number(signer.chain_id))
  const usedTo = final && (await findUsedTo(rpc, signer.address, final))
  for (const open of mined) {
    if (final && usedTo !== undefined && open.nonce < usedTo) await close(desk, rpc, { signer, final }, open.nonce)
    // Of a single one the refund knows.
    else if (open.attempts.length > 1) await tell(desk, signer, open, await findMined(rpc, hashesOf(open)))
  }
}

type Over = { readonly signer: Signer; readonly final: Final }

const close = async (desk: SigningDesk, rpc: Rpc, { signer, final }: Over, nonce: number): Promise<void> => {
  // Read anew: somebody may have signed another since, and been lucky with it. What is signed from now on comes too late.
  const [open] = await listOpenNonces(desk.sql, { signerId: signer.id, nonce }, 1)
  if (!open) return
  const found = await findMinedTo(rpc, hashesOf(open), final)
  if (found === undefined) return
  const usedBy = found === null && open.isSearchDue ? await findUsedBy(rpc, signer, nonce, final) : undefined
  if (found === null && usedBy === undefined) return
  if (usedBy === null) return leaveUnclear(desk, signer, open)
  if (usedBy && !(await isOf(desk, open, usedBy))) return dropLost(desk, signer, open)
  const txHash = usedBy?.hash ?? found
  await tell(desk, signer, open, txHash)
  await closeNonce(desk.sql, { signerId: signer.id, nonce }, txHash)
  await desk.at?.('closed')
}

/**
 * Whether it is one of what was signed for this nonce. A restored backup does not have those that were signed after it:
 * what does the same as the refund's own transaction has replaced that at a higher fee.
 */
const isOf = async ({ sql }: SigningDesk, open: OpenNonce, usedBy: UsedBy): Promise<boolean> => {
  if (hashesOf(open).some(hash => hash === usedBy.hash)) return true
  const refund = open.refundId === null ? undefined : (await findUnsigned(sql, open.refundId))?.refund
  if (!refund) return false
  const { to, value, data } = transferOfRefund(refund.id, refund.context)
  return usedBy.to === to.toLowerCase() && usedBy.value === value && usedBy.input === data
}

/**
 * That no node has a receipt proves nothing: they lose them, and withhold them. While nobody shows what has used the
 * number a refund may be paid or not, which takes a person, or a node that knows more.
 */
const leaveUnclear = async (desk: SigningDesk, signer: Signer, { nonce, refundId }: OpenNonce): Promise<void> => {
  if (!(await putSearchOff(desk.sql, { signerId: signer.id, nonce }))) return
  desk.log.warn(
    {
      ...(refundId && { refund: encodeId('re', refundId) }),
      chain: Number(signer.chain_id),
      signer: signer.address,
      nonce,
      action: `add an archive node to RPC_URLS_${signer.chain_id}`,
    },
    'refund transaction outcome unknown, its nonce is used',
  )
}

const hashesOf = ({ attempts }: OpenNonce): readonly string[] => attempts.map(({ txHash }) => txHash)

/** The refund may know another of its hashes: what was replaced has been mined after all. A reorganisation may change that again. */
const tell = async (desk: SigningDesk, signer: Signer, open: OpenNonce, txHash: string | null) => {
  const { refundId } = open
  await desk.at?.('found')
  const refund = refundId === null || txHash === null ? undefined : (await findUnsigned(desk.sql, refundId))?.refund
  if (refund && isPaidBy(refund, open) && refund.context.txHash !== txHash)
    await desk.actors.dispatch({
      ...{ kind: 'refund', actor: refund.id, cause: `signer:${signer.address}` },
      event: { type: 'transaction_replaced', txHash, instead: refund.context.txHash },
    })
  await desk.at?.('told')
}

/** None of what was signed for the number can be mined any more: whoever says so has seen what was, or that the chain is gone. */
export const dropLost = async (desk: SigningDesk, signer: Signer, open: OpenNonce): Promise<void> => {
  const { nonce, refundId } = open
  const refund = refundId === null ? undefined : (await findUnsigned(desk.sql, refundId))?.refund
  const type = reservationEventOf.transaction_failed
  if (refund && isPaidBy(refund, open) && type) {
    const { txHash, paymentId, amountMinor } = refund.context
    const failed = { type: 'transaction_failed', txHash, confirmations: 0, failureReason: 'dropped' }
    const told = { cause: `signer:${signer.address}` }
    const commands: readonly Command[] = [
      { kind: 'refund', actor: refund.id, event: failed, ...told, id: idOf(signer, refund.id, nonce, 'failed') },
      {
        kind: 'payment',
        actor: paymentId,
        event: { type, amountMinor },
        ...told,
        id: idOf(signer, refund.id, nonce, 'released'),
      },
    ]
    await desk.actors.dispatchBundle(commands)
    desk.log.warn(
      { txHash, chain: refund.context.chainId },
      'refund transaction dropped, its nonce was used by another',
    )
  }
  await closeNonce(desk.sql, { signerId: signer.id, nonce }, null)
}

const idOf = (signer: Signer, refundId: string, nonce: number, what: string): string =>
  uuidFrom(['dropped', signer.id, refundId, nonce, what])

/** Nonces below this one are final, by the final block in the database and two nodes that agree. */
export const findUsedTo = async (rpc: Rpc, address: string, final: Final): Promise<number | undefined> => {
  const count = { method: 'eth_getTransactionCount', params: [address, toQuantity(final.number)] }
  const agreement = await rpc.agreed([count, blockCall(final.number)], ([count, block]) =>
    isBlock(resultOf(block), final) ? readNumber(resultOf(count), 'a nonce') : null,
  )
  return agreedOn(agreement) ?? undefined
}

/** As one node has it; null while none of them is in a block. */
const findMined = (rpc: Rpc, hashes: readonly string[]): Promise<string | null> =>
  rpc.read(hashes.map(receiptCall), answers => minedIn(answers, hashes) ?? null)

/** As two nodes have it; null when none of them is in a block up to the final one. */
const findMinedTo = async (rpc: Rpc, hashes: readonly string[], final: Final): Promise<string | null | undefined> => {
  const agreement = await rpc.agreed([...hashes.map(receiptCall), blockCall(final.number)], answers => {
    const isOurs = isBlock(resultOf(answers.at(-1)), final)
    return isOurs ? (minedIn(answers, hashes) ?? 'none') : 'elsewhere'
  })
  const found = agreedOn(agreement)
  if (found === 'elsewhere') return undefined
  return found === 'none' ? null : found
}

const minedIn = (answers: readonly unknown[], hashes: readonly string[]): string | undefined =>
  hashes.find((hash, at) => findReceipt(resultOf(answers[at]), hash) !== undefined)

import type { Command } from '../actors/command.ts'
import { blockAt, findHeader } from '../chain/rpc/block.ts'
import { readNumber, toQuantity } from '../chain/rpc/hex.ts'
import { findReceipt } from '../chain/rpc/receipt.ts'
import { answered, type Rpc } from '../chain/rpc/rpc.ts'
import { uuidFrom } from '../ids.ts'
import { reservationEventOf } from '../kinds/refund.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { closeNonce, type OpenNonce } from '../queries/signer-nonces.ts'
import { findUnsigned } from '../queries/signing.ts'
import type { Final } from '../queries/submissions.ts'
import type { SigningDesk } from './desk.ts'

type Used = { readonly signer: Signer; readonly open: OpenNonce; readonly final: Final | undefined }

/**
 * Tells a refund which of its transactions is in a block, and closes a number that is final. What the transaction
 * has paid is for others to say (src/chain/refunds).
 */
export const settleNonce = async (desk: SigningDesk, rpc: Rpc, { signer, open, final }: Used): Promise<void> => {
  const hashes = open.attempts.map(({ txHash }) => txHash)
  const isOver = final && (await isUsedUp(rpc, { signer, open, final }))
  const mined = isOver ? await findMinedTo(rpc, hashes, final) : await findMined(rpc, hashes)
  if (mined === undefined) return
  if (mined === null) {
    // In no block yet, or gone for good: another transaction has the number, and it is final.
    if (isOver) await dropLost(desk, signer, open)
    return
  }
  desk.at?.('found')
  if (open.refundId !== null) await tellMined(desk, signer, open.refundId, mined)
  desk.at?.('told')
  if (isOver) await closeNonce(desk.sql, { signerId: signer.id, nonce: open.nonce }, 'mined')
  desk.at?.('closed')
}

/** None of what was signed for the number can be mined any more. */
export const dropLost = async (desk: SigningDesk, signer: Signer, { nonce, refundId }: OpenNonce): Promise<void> => {
  const refund = refundId === null ? undefined : (await findUnsigned(desk.sql, refundId))?.refund
  const type = reservationEventOf.transaction_failed
  if (refund?.state === 'processing' && refund.context.txHash !== null && type) {
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
    desk.log.warn({ txHash, chain: refund.context.chainId }, 'the number of a refund was used by another transaction')
  }
  await closeNonce(desk.sql, { signerId: signer.id, nonce }, 'dropped')
}

const idOf = (signer: Signer, refundId: string, nonce: number, what: string): string =>
  uuidFrom(['dropped', signer.id, refundId, nonce, what])

/** The refund knows another of its hashes: what was replaced has been mined after all. It may change with a reorganisation. */
const tellMined = async (desk: SigningDesk, signer: Signer, refundId: string, txHash: string): Promise<void> => {
  const refund = (await findUnsigned(desk.sql, refundId))?.refund
  if (refund?.state !== 'processing' || refund.context.txHash === txHash) return
  await desk.actors.dispatch({
    ...{ kind: 'refund', actor: refundId, cause: `signer:${signer.address}` },
    event: { type: 'transaction_replaced', txHash },
  })
}

/** Whether a transaction with this number is final, by the books' own final block and two nodes that agree. */
const isUsedUp = async (rpc: Rpc, { signer, open, final }: Used & { final: Final }): Promise<boolean> => {
  const at = toQuantity(final.number)
  const calls = [{ method: 'eth_getTransactionCount', params: [signer.address, at] }, blockAt(final.number)]
  const agreement = await rpc.agreed(calls, ([count, block]) => {
    const isOurs = findHeader(answered(block), { number: final.number })?.hash === final.hash
    return isOurs && readNumber(answered(count), 'a nonce') > open.nonce
  })
  return agreement.outcome === 'agreed' && agreement.value
}

/** As one node has it; null while none of them is in a block. */
const findMined = (rpc: Rpc, hashes: readonly string[]): Promise<string | null> =>
  rpc.read(hashes.map(receiptOf), answers => minedIn(answers, hashes) ?? null)

/** As two nodes have it; null when none of them is in a block up to the final one. */
const findMinedTo = async (rpc: Rpc, hashes: readonly string[], final: Final): Promise<string | null | undefined> => {
  const agreement = await rpc.agreed([...hashes.map(receiptOf), blockAt(final.number)], answers => {
    const isOurs = findHeader(answered(answers.at(-1)), { number: final.number })?.hash === final.hash
    return isOurs ? (minedIn(answers, hashes) ?? 'none') : 'elsewhere'
  })
  if (agreement.outcome !== 'agreed' || agreement.value === 'elsewhere') return undefined
  return agreement.value === 'none' ? null : agreement.value
}

const minedIn = (answers: readonly unknown[], hashes: readonly string[]): string | undefined =>
  hashes.find((hash, at) => findReceipt(answered(answers[at]), hash) !== undefined)

const receiptOf = (hash: string) => ({ method: 'eth_getTransactionReceipt', params: [hash] })

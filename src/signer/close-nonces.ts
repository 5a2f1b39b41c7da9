import { blockCall, isBlock } from '../chain/rpc/block.ts'
import { readNumber, toQuantity } from '../chain/rpc/hex.ts'
import { findReceipt, receiptCall } from '../chain/rpc/receipt.ts'
import { agreedOn, type Rpc, resultOf } from '../chain/rpc/rpc.ts'
import { encodeId, uuidFrom } from '../ids.ts'
import { dispatchGivingCredit } from '../queries/credit-entries.ts'
import { reservationCommands } from '../queries/refund-bundles.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { closeNonce, listOpenNonces, type OpenNonce, postponeSearch } from '../queries/signer-nonces.ts'
import { findUnsigned } from '../queries/signing.ts'
import { type Final, findFinal } from '../queries/submissions.ts'
import { findUsedBy, type UsedBy } from './find-used-by.ts'
import { isPaidBy } from './paid-by.ts'
import { transferOfRefund } from './plan.ts'
import type { SigningServices } from './signing-services.ts'

type Used = { readonly signer: Signer; readonly mined: readonly OpenNonce[] }

/**
 * Reports to refunds which of their transactions are mined, and closes nonces that are final. What a transaction has
 * paid is checked in src/chain/refunds.
 */
export const closeFinalNonces = async (services: SigningServices, rpc: Rpc, { signer, mined }: Used): Promise<void> => {
  const final = await findFinal(services.sql, Number(signer.chain_id))
  const usedTo = final && (await findUsedTo(rpc, signer.address, final))
  for (const open of mined) {
    if (final && usedTo !== undefined && open.nonce < usedTo) await close(services, rpc, { signer, final }, open.nonce)
    // With a single attempt, the refund already has its hash.
    else if (open.attempts.length > 1) await reportMined(services, signer, open, await findMined(rpc, hashesOf(open)))
  }
}

type Over = { readonly signer: Signer; readonly final: Final }

const close = async (services: SigningServices, rpc: Rpc, { signer, final }: Over, nonce: number): Promise<void> => {
  // Read again: another process may have signed a further attempt that was mined. Later attempts cannot be mined.
  const [open] = await listOpenNonces(services.sql, { signerId: signer.id, nonce }, 1)
  if (!open) return
  const found = await findMinedTo(rpc, hashesOf(open), final)
  if (found === undefined) return
  const usedBy = found === null && open.isSearchDue ? await findUsedBy(rpc, signer, nonce, final) : undefined
  if (found === null && usedBy === undefined) return
  if (usedBy === null) return leaveUnclear(services, signer, open)
  if (usedBy && !(await isOf(services, open, usedBy))) return dropOpenNonce(services, signer, open)
  const txHash = usedBy?.hash ?? found
  await reportMined(services, signer, open, txHash)
  await closeNonce(services.sql, { signerId: signer.id, nonce }, txHash)
  await services.onStep?.('closed')
}

/**
 * Whether it is a transaction that was signed for this nonce. A restored backup lacks those that were signed after it:
 * a transaction with the same content as the refund's is one of them.
 */
const isOf = async ({ sql }: SigningServices, open: OpenNonce, usedBy: UsedBy): Promise<boolean> => {
  if (hashesOf(open).some(hash => hash === usedBy.hash)) return true
  const refund = open.refundId === null ? undefined : (await findUnsigned(sql, open.refundId))?.refund
  if (!refund) return false
  const { to, value, data } = transferOfRefund(refund.id, refund.context)
  return usedBy.to === to.toLowerCase() && usedBy.value === value && usedBy.input === data
}

/**
 * A missing receipt proves nothing, because nodes can lose or withhold receipts. While no node shows the transaction
 * that used the nonce, the refund may be paid or not: a person must decide, or an archive node is needed.
 */
const leaveUnclear = async (
  services: SigningServices,
  signer: Signer,
  { nonce, refundId }: OpenNonce,
): Promise<void> => {
  if (!(await postponeSearch(services.sql, { signerId: signer.id, nonce }))) return
  services.log.warn(
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

/** Corrects the hash of the refund if another attempt was mined. A reorg may change that again. */
const reportMined = async (services: SigningServices, signer: Signer, open: OpenNonce, txHash: string | null) => {
  const { refundId } = open
  await services.onStep?.('found')
  const refund = refundId === null || txHash === null ? undefined : (await findUnsigned(services.sql, refundId))?.refund
  if (refund && isPaidBy(refund, open) && refund.context.txHash !== txHash)
    await services.actors.dispatch({
      ...{ kind: 'refund', actor: refund.id, cause: `signer:${signer.address}` },
      event: { type: 'transaction_replaced', txHash, instead: refund.context.txHash },
    })
  await services.onStep?.('reported')
}

/**
 * None of the transactions with this nonce can be mined: another one has used the nonce, or the sandbox chain was
 * replaced.
 */
export const dropOpenNonce = async (services: SigningServices, signer: Signer, open: OpenNonce): Promise<void> => {
  const { nonce, refundId } = open
  const refund = refundId === null ? undefined : (await findUnsigned(services.sql, refundId))?.refund
  if (refund && isPaidBy(refund, open)) {
    const { txHash } = refund.context
    const failed = { type: 'transaction_failed', txHash, confirmations: 0, failureReason: 'dropped' }
    const cause = `signer:${signer.address}`
    const idOf = (actor: string) => uuidFrom(['dropped', signer.id, refund.id, nonce, actor])
    await dispatchGivingCredit(services, given => [
      { kind: 'refund', actor: refund.id, event: failed, cause, id: idOf(refund.id) },
      ...reservationCommands(refund.context, 'transaction_failed', { cause, idOf, ...given }),
    ])
    services.log.warn(
      { txHash, chain: refund.context.chainId },
      'refund transaction dropped, its nonce was used by another',
    )
  }
  await closeNonce(services.sql, { signerId: signer.id, nonce }, null)
}

/** Nonces below this one are final, by the final block in the database and two nodes that agree. */
export const findUsedTo = async (rpc: Rpc, address: string, final: Final): Promise<number | undefined> => {
  const count = { method: 'eth_getTransactionCount', params: [address, toQuantity(final.number)] }
  const agreement = await rpc.agreed([count, blockCall(final.number)], ([count, block]) =>
    isBlock(resultOf(block), final) ? readNumber(resultOf(count), 'a nonce') : null,
  )
  return agreedOn(agreement) ?? undefined
}

/** The mined transaction, from one node; null if none of them is mined. */
const findMined = (rpc: Rpc, hashes: readonly string[]): Promise<string | null> =>
  rpc.read(hashes.map(receiptCall), answers => minedIn(answers, hashes) ?? null)

/**
 * The mined transaction, agreed by two nodes; null if none is mined up to the final block; undefined if they cannot
 * tell.
 */
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

import type { Refund } from '../../machines/refund.ts'
import type { KeyCaller } from '../access/key-cache.ts'
import type { Actor } from '../actors/kind.ts'
import { checksummed } from '../chain/checksum.ts'
import { chainIdsOf } from '../chain/enabled/connect.ts'
import { refundTransfer } from '../chain/refunds/transfer.ts'
import { claimUrl, isOpenClaim } from '../commands/refund-claims.ts'
import { decodeId } from '../ids.ts'
import type { UnsignedTransaction } from '../kinds/refund-record.ts'
import { isForSigner, listManuallySigned } from '../queries/manual-signing.ts'
import { listNeedingAttention } from '../queries/refund-attention.ts'
import { listClaims } from '../queries/refund-claims.ts'
import { findSigner } from '../queries/refund-signers.ts'
import { findDepths } from '../queries/refund-transactions.ts'
import { type RefundAdditions, refundReadRecord } from '../records/refund.ts'
import { isOfSandbox } from '../signer/signer-for.ts'
import type { Api } from './api.ts'
import type { MemberCaller } from './route.ts'

/** One of the two. */
export type RefundReader = { readonly key?: KeyCaller; readonly member?: MemberCaller }

/** Callers that can refund can also see the claim URL and the unsigned transaction. */
const mayRefund = ({ key, member }: RefundReader): boolean =>
  key
    ? key.scopes.includes('*') || key.scopes.includes('refunds:write')
    : member !== undefined && member.role !== 'viewer'

/** The facts of these refunds that are not in their rows, as far as the caller can see them. */
export const refundFactsFor = async (
  api: Api,
  reader: RefundReader,
  refunds: readonly Actor<Refund>[],
): Promise<(refund: Actor<Refund>) => RefundAdditions> => {
  const depths = await findDepthsOf(api, refunds)
  const needing = await listNeedingAttention(
    api.sql,
    refunds.map(({ id }) => id),
    chainIdsOf(api.chains),
  )
  const commonOf = ({ id }: Actor<Refund>) => {
    const confirmations = depths.get(id)
    return { attention: needing.has(id), ...(confirmations !== undefined && { confirmations }) }
  }
  if (!mayRefund(reader)) return commonOf
  const claims = await findClaimUrls(api, refunds)
  const byHand = await findSignedByHand(api, refunds)
  return refund => ({
    ...commonOf(refund),
    claimUrl: claims.get(refund.id) ?? null,
    unsignedTransaction: byHand.has(refund.id) ? unsignedOf(refund) : null,
  })
}

/** The transaction to sign manually, while the refund waits for it. The wallet adds gas, fees and nonce. */
export const unsignedOf = ({ id, state, context }: Actor<Refund>): UnsignedTransaction | null => {
  const { chainId, tokenAddress, destination, amount } = context
  if (state !== 'requires_signature' || destination === null) return null
  const { to, data, value } = refundTransfer({ id, tokenAddress, destination, amount })
  return { chainId, to: checksummed(to), data, value: String(value) }
}

/** One refund as the caller can see it. */
export const readRefundFor = async (api: Api, reader: RefundReader, refund: Actor<Refund>) =>
  refundReadRecord.render(refund, (await refundFactsFor(api, reader, [refund]))(refund))

const findDepthsOf = async ({ sql }: Api, refunds: readonly Actor<Refund>[]): Promise<ReadonlyMap<string, number>> => {
  const sent = refunds.filter(({ state }) => state === 'processing').map(({ id }) => id)
  return sent.length === 0 ? new Map() : findDepths(sql, sent)
}

/** A transaction that a signer can sign is not shown: the refund could be paid twice. */
const findSignedByHand = async (api: Api, refunds: readonly Actor<Refund>[]): Promise<ReadonlySet<string>> => {
  const waiting = refunds.filter(
    ({ state, context }) => state === 'requires_signature' && !isOfSandbox(api, context.chainId),
  )
  return waiting.length === 0
    ? new Set()
    : listManuallySigned(
        api.sql,
        waiting.map(({ id }) => id),
      )
}

/** Whether a new refund will be signed by a signer. */
export const isSigned = async (
  api: Api,
  { merchantId, livemode, chainId }: { merchantId: string; livemode: boolean; chainId: number | null },
): Promise<boolean> =>
  chainId !== null &&
  (isOfSandbox(api, chainId) || (await findSigner(api.sql, { merchantId, chainId, livemode })) !== undefined)

const findClaimUrls = async (
  { sql, clock, keyring, settings }: Api,
  refunds: readonly Actor<Refund>[],
): Promise<ReadonlyMap<string, string>> => {
  const waiting = new Map(refunds.filter(({ state }) => state === 'requires_destination').map(each => [each.id, each]))
  const now = clock.now()
  const urls = new Map<string, string>()
  for (const claim of await listClaims(sql, [...waiting.keys()])) {
    const refund = waiting.get(claim.refundId)
    if (refund && isOpenClaim(refund, claim, now)) urls.set(refund.id, claimUrl(settings.publicUrl, keyring, claim))
  }
  return urls
}

/**
 * The response to the request that created a refund. The response stored with the Idempotency-Key has no secret, so the claim
 * URL is decrypted here. A transaction is not shown if a signer was turned on while the refund was created. The response is
 * always the same, whatever has happened to the refund since.
 */
export const asAnswered = async ({ sql, keyring, settings }: Api, body: string): Promise<string> => {
  const record = JSON.parse(body) as ReturnType<typeof refundReadRecord.render>
  const id = decodeId('re', record.id) ?? ''
  if (record.unsignedTransaction !== null && (await isForSigner(sql, id)))
    return JSON.stringify({ ...record, unsignedTransaction: null })
  if (record.status !== 'requires_destination') return body
  const [claim] = await listClaims(sql, [id])
  // Refunds of older versions have no claim.
  return claim ? JSON.stringify({ ...record, claimUrl: claimUrl(settings.publicUrl, keyring, claim) }) : body
}

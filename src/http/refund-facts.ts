import type { Refund } from '../../machines/refund.ts'
import type { KeyCaller } from '../access/key-book.ts'
import type { Actor } from '../actors/kind.ts'
import { checksummed } from '../chain/checksum.ts'
import { refundTransfer } from '../chain/refunds/transfer.ts'
import { claimUrl, isOpenClaim } from '../commands/refund-claims.ts'
import { decodeId } from '../ids.ts'
import { listClaims } from '../queries/refund-claims.ts'
import { findSigner } from '../queries/refund-signers.ts'
import { findDepths } from '../queries/refund-transactions.ts'
import { isForSigner, listSignedByHand } from '../queries/signed-by-hand.ts'
import { type RefundFacts, refundRecord, type UnsignedTransaction } from '../records/refund.ts'
import { isOfSandbox } from '../signer/signer-for.ts'
import type { Api } from './api.ts'
import type { MemberCaller } from './route.ts'

/** One of these two. */
export type RefundReader = { readonly key?: KeyCaller; readonly member?: MemberCaller }

/** Whoever may refund may also see what a refund is brought about with. */
const mayRefund = ({ key, member }: RefundReader): boolean =>
  key
    ? key.scopes.includes('*') || key.scopes.includes('refunds:write')
    : member !== undefined && member.role !== 'viewer'

/** What the caller is told of each of these refunds beside its row. */
export const refundFactsFor = async (
  api: Api,
  reader: RefundReader,
  refunds: readonly Actor<Refund>[],
): Promise<(refund: Actor<Refund>) => RefundFacts> => {
  const depths = await findDepthsOf(api, refunds)
  const depthOf = (id: string) => {
    const confirmations = depths.get(id)
    return confirmations === undefined ? {} : { confirmations }
  }
  if (!mayRefund(reader)) return ({ id }) => depthOf(id)
  const claims = await findClaimUrls(api, refunds)
  const byHand = await findSignedByHand(api, refunds)
  return refund => ({
    ...depthOf(refund.id),
    claimUrl: claims.get(refund.id) ?? null,
    unsignedTransaction: byHand.has(refund.id) ? unsignedOf(refund) : null,
  })
}

/** What somebody is to sign, while the refund waits for that. A wallet adds the rest: gas, fees and its nonce. */
export const unsignedOf = ({ id, state, context }: Actor<Refund>): UnsignedTransaction | null => {
  const { chainId, tokenAddress, destination, amount } = context
  if (state !== 'requires_signature' || destination === null) return null
  const { to, data, value } = refundTransfer({ id, tokenAddress, destination, amount })
  return { chainId, to: checksummed(to), data, value: String(value) }
}

/** One refund as its caller is shown it. */
export const readRefundFor = async (api: Api, reader: RefundReader, refund: Actor<Refund>) =>
  refundRecord(refund, (await refundFactsFor(api, reader, [refund]))(refund))

const findDepthsOf = async ({ sql }: Api, refunds: readonly Actor<Refund>[]): Promise<ReadonlyMap<string, number>> => {
  const sent = refunds.filter(({ state }) => state === 'processing').map(({ id }) => id)
  return sent.length === 0 ? new Map() : findDepths(sql, sent)
}

/** Nobody is to be shown what a signer may sign as well: it would be paid twice. */
const findSignedByHand = async (api: Api, refunds: readonly Actor<Refund>[]): Promise<ReadonlySet<string>> => {
  const waiting = refunds.filter(
    ({ state, context }) => state === 'requires_signature' && !isOfSandbox(api, context.chainId),
  )
  return waiting.length === 0
    ? new Set()
    : listSignedByHand(
        api.sql,
        waiting.map(({ id }) => id),
      )
}

/** Whether a refund that is asked for now is left to a signer. */
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
 * The answer to whoever has started a refund, of which no secret is kept with its Idempotency-Key: the claim is
 * read where it stands sealed. Nor does it show what a signer is to sign that was turned on while it was made.
 * Whatever has become of the refund meanwhile, it is the same answer.
 */
export const asAnswered = async ({ sql, keyring, settings }: Api, body: string): Promise<string> => {
  const record = JSON.parse(body) as ReturnType<typeof refundRecord>
  const id = decodeId('re', record.id) ?? ''
  if (record.unsignedTransaction !== null && (await isForSigner(sql, id)))
    return JSON.stringify({ ...record, unsignedTransaction: null })
  if (record.status !== 'requires_destination') return body
  const [claim] = await listClaims(sql, [id])
  // Refunds of a time before claims have none.
  return claim ? JSON.stringify({ ...record, claimUrl: claimUrl(settings.publicUrl, keyring, claim) }) : body
}

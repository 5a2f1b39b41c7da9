import type { Refund } from '../../machines/refund.ts'
import { hashClaimSecret, makeClaimSecret } from '../access/claim-secret.ts'
import type { Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import type { Address } from '../chain/address.ts'
import type { Keyring } from '../keyring.ts'
import { refundKind } from '../kinds/refund.ts'
import { ofKind } from '../queries/actors.ts'
import { claimRow, type Proof, proofRow, type RefundClaim, type VisitedClaim } from '../queries/refund-claims.ts'
import { CLAIM_PURPOSE } from '../sealed-columns.ts'

const LASTS_MS = 30 * 24 * 60 * 60 * 1000

/** The claim with which the customer sets the destination, for the commit that creates the refund. */
export const makeClaim = (
  { clock, random, keyring }: Pick<Services, 'clock' | 'random'> & { readonly keyring: Keyring },
  refundId: string,
): Row => {
  const secret = makeClaimSecret(random)
  const secretHash = hashClaimSecret(secret)
  if (!secretHash) throw new Error('the secret of a new claim has no valid hash')
  const sealedSecret = keyring.seal(CLAIM_PURPOSE, refundId, secret)
  return claimRow({ refundId, sealedSecret, expiresAt: new Date(clock.now().getTime() + LASTS_MS) }, secretHash)
}

/** Whether the customer can still set the destination. */
export const isOpenClaim = (
  { state }: Actor<Refund>,
  { expiresAt }: Pick<RefundClaim, 'expiresAt'>,
  now: Date,
): boolean => state === 'requires_destination' && now < expiresAt

/** The URL of the claim page. */
export const claimUrl = (publicUrl: string, keyring: Keyring, { refundId, sealedSecret }: RefundClaim): string =>
  `${publicUrl}/claims/${keyring.open(CLAIM_PURPOSE, refundId, sealedSecret)}`

/** The message and signature of the customer's wallet. */
export type WalletSignature = Pick<Proof, 'message' | 'signature'>

/**
 * Sets the destination once, and returns the refund. Undefined if it accepts no destination any more: its machine lets
 * one of several parallel requests through.
 */
export const nameDestination = async (
  { actors, clock }: Pick<Services, 'actors' | 'clock'>,
  { refund: { id } }: Pick<VisitedClaim, 'refund'>,
  destination: Address,
  { shown, cause }: { readonly shown: WalletSignature | undefined; readonly cause: string },
): Promise<Actor<Refund> | undefined> => {
  const outcome = await actors.dispatch({
    kind: 'refund',
    actor: id,
    event: { type: 'destination_named', destination },
    cause,
    ...(shown && { rows: [proofRow({ refundId: id, address: destination, ...shown, provenAt: clock.now() })] }),
  })
  return outcome.ok ? ofKind(refundKind, outcome.actor) : undefined
}

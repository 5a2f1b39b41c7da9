import type { Refund } from '../../machines/refund.ts'
import { hashClaimSecret, makeClaimSecret } from '../access/claim-secret.ts'
import type { Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Address } from '../chain/address.ts'
import type { Keyring } from '../keyring.ts'
import { refundKind } from '../kinds/refund.ts'
import { ofKind } from '../queries/actors.ts'
import { type Claim, claimRow, type Proof, proofRow, type VisitedClaim } from '../queries/refund-claims.ts'
import type { World } from '../world.ts'

/** What the secrets of claims are sealed for, each for the id of its refund; `bun run rekey` names it too. */
export const CLAIM_PURPOSE = 'refund claim'

const LASTS_MS = 30 * 24 * 60 * 60 * 1000

/** What lets the customer say where a refund goes, for the commit that makes the refund. */
export const makeClaim = (
  { clock, random, keyring }: Pick<World, 'clock' | 'random'> & { readonly keyring: Keyring },
  refundId: string,
): Row => {
  const secret = makeClaimSecret(random)
  const secretHash = hashClaimSecret(secret)
  if (!secretHash) throw new Error('a claim has been made that nobody would find')
  const sealedSecret = keyring.seal(CLAIM_PURPOSE, refundId, secret)
  return claimRow({ refundId, sealedSecret, expiresAt: new Date(clock.now().getTime() + LASTS_MS) }, secretHash)
}

/** Whether its customer may still say where to. */
export const isOpenClaim = ({ state }: Actor<Refund>, { expiresAt }: Pick<Claim, 'expiresAt'>, now: Date): boolean =>
  state === 'requires_destination' && now < expiresAt

/** The page of a claim. */
export const claimUrl = (publicUrl: string, keyring: Keyring, { refundId, sealedSecret }: Claim): string =>
  `${publicUrl}/claims/${keyring.open(CLAIM_PURPOSE, refundId, sealedSecret)}`

/** What the customer's wallet has signed of its own address. */
export type Shown = Pick<Proof, 'message' | 'signature'>

/**
 * The one time that a customer says where a refund goes; the refund as it is then. Undefined when it takes no
 * destination any more: of all that come at once its machine lets one through.
 */
export const nameDestination = async (
  { actors, clock }: Pick<World, 'actors' | 'clock'>,
  { refund: { id } }: Pick<VisitedClaim, 'refund'>,
  destination: Address,
  shown: Shown | undefined,
): Promise<Actor<Refund> | undefined> => {
  const outcome = await actors.dispatch({
    kind: 'refund',
    actor: id,
    event: { type: 'destination_named', destination },
    // Customers have no id.
    cause: 'customer',
    ...(shown && { rows: [proofRow({ refundId: id, address: destination, ...shown, provenAt: clock.now() })] }),
  })
  return outcome.ok ? ofKind(refundKind, outcome.actor) : undefined
}

import { type } from 'arktype'
import { hashClaimSecret } from '../access/claim-secret.ts'
import type { Address } from '../chain/address.ts'
import { signerOf } from '../chain/signed-message.ts'
import { isOpenClaim, nameDestination } from '../commands/refund-claims.ts'
import { destinationFor } from '../commands/refunds.ts'
import { Refusal, refuse } from '../errors.ts'
import {
  type ClaimPageFacts,
  closedPage,
  confirmPage,
  namedPage,
  namingPage,
  noClaimPage,
  takenPage,
} from '../pages/claim.ts'
import { claimMessage } from '../pages/claim-message.ts'
import { findVisitedClaim, type VisitedClaim } from '../queries/refund-claims.ts'
import type { Api } from './api.ts'
import { nameDestinationDocs, visitClaimDocs } from './docs/refund-claims.ts'
import { type Answer, forCustomers, type Route } from './route.ts'

const path = '/claims/:secret'

const naming = () => type({ address: 'string', 'signature?': 'string', 'confirmed?': "'yes'" })

/** The claim pages, where customers enter the address for a refund. The secret in the URL is the only authentication. */
export const claimRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
    page: true,
    docs: visitClaimDocs,
    handle: async (api, { params }) => {
      const claim = await findClaim(api, params.secret)
      if (!claim) return noClaimPage(api.web)
      return shut(api, claim, undefined) ?? namingPage(api.web, claim, placeOf(api, claim))
    },
  }),

  forCustomers('POST', {
    path,
    // The form is sent to the URL of the page, which can have additional query parameters.
    page: true,
    form: true,
    docs: nameDestinationDocs,
    body: naming,
    handle: async (api, { params, body }) => {
      const claim = await findClaim(api, params.secret)
      if (!claim) return noClaimPage(api.web)
      const typed = body.address.trim()
      const closed = shut(api, claim, typed)
      if (closed) return closed

      const place = placeOf(api, claim)
      const address = await addressIn(api, claim, typed)
      if (!address) return namingPage(api.web, claim, place, { address: typed, fault: 'invalid_destination' })
      const { signature = '' } = body
      const message = claimMessage(claim, place.host, address)
      if (signature !== '' && (await signerOf(message, signature)) !== address)
        return namingPage(api.web, claim, place, { address: typed, fault: 'invalid_signature' })
      if (!body.confirmed) return confirmPage(api.web, claim, place, address, signature)

      const named = await nameDestination(api, claim, address, signature === '' ? undefined : { message, signature })
      if (named) return namedPage(api.web, { ...claim, refund: named }, place, address)
      // Another request was faster, or the merchant has canceled the refund.
      const latest = await findClaim(api, params.secret)
      return (latest && shut(api, latest, typed)) ?? refuse('state_conflict')
    },
  }),
]

const findClaim = async ({ sql }: Api, secret: string): Promise<VisitedClaim | undefined> => {
  const hash = hashClaimSecret(secret)
  return hash && findVisitedClaim(sql, hash)
}

/** The page of a claim that no longer accepts an address; undefined if it still does. */
const shut = (api: Api, claim: VisitedClaim, typed: string | undefined): Answer | undefined => {
  const { refund } = claim
  if (isOpenClaim(refund, claim, api.clock.now())) return undefined
  const { destination } = refund.context
  if (refund.state === 'canceled' || destination === null) return closedPage(api.web, claim)
  const place = placeOf(api, claim)
  // A repeated request with the same address gets the confirmation again.
  return typed?.toLowerCase() === destination.toLowerCase()
    ? namedPage(api.web, claim, place, destination)
    : takenPage(api.web, claim, place, typed !== undefined)
}

const addressIn = async (
  api: Api,
  { refund, paymentAddress }: VisitedClaim,
  typed: string,
): Promise<Address | undefined> => {
  try {
    return await destinationFor(api, refund.context, { address: paymentAddress }, typed)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const placeOf = ({ chains, settings }: Api, { refund: { context } }: VisitedClaim): ClaimPageFacts => ({
  network: chains.find(context.chainId)?.chain.network ?? `Chain ${context.chainId}`,
  host: new URL(settings.publicUrl).host,
})

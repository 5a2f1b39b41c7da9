import { type } from 'arktype'
import { hashClaimSecret } from '../access/claim-secret.ts'
import type { Address } from '../chain/address.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { signerOf } from '../chain/signed-message.ts'
import { isOpenClaim, nameDestination } from '../commands/refund-claims.ts'
import { destinationFor } from '../commands/refunds.ts'
import { Refusal, refuse } from '../errors.ts'
import type { ClaimPageFacts } from '../pages/claims/facts.ts'
import { claimMessage } from '../pages/claims/message.ts'
import { closedPage, confirmPage, namedPage, namingPage, noClaimPage, takenPage } from '../pages/claims/page.ts'
import { findVisitedClaim, type VisitedClaim } from '../queries/refund-claims.ts'
import { logoUrlOf } from '../records/logo-url.ts'
import { payer } from '../sandbox/contracts.ts'
import type { Locale } from '../web/text/locale.ts'
import type { Api } from './api.ts'
import { causeOfCustomer } from './causes.ts'
import { nameDestinationDocs, visitClaimDocs } from './docs/refund-claims.ts'
import { localeOf } from './locale.ts'
import { type Answer, forCustomers, type Route } from './route.ts'

const path = '/claims/:secret'

const languageQuery = () => type({ 'lang?': "'en' | 'de'" })

const naming = () => type({ address: 'string', 'signature?': 'string', 'confirmed?': "'yes'" })

/** The claim pages, where customers enter the address for a refund. The secret in the URL is the only authentication. */
export const claimRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
    page: true,
    docs: visitClaimDocs,
    query: languageQuery,
    handle: async (api, { params, query, headers }) => {
      const locale = localeOf(query.lang, headers)
      const claim = await findClaim(api, params.secret)
      if (!claim) return noClaimPage(api.web, locale)
      const facts = factsOf(api, claim, locale)
      return shut(api, facts, undefined) ?? namingPage(api.web, facts)
    },
  }),

  forCustomers('POST', {
    path,
    // The form is sent to the URL of the page, which can have additional query parameters.
    page: true,
    form: true,
    docs: nameDestinationDocs,
    query: languageQuery,
    body: naming,
    handle: async (api, { params, query, headers, body, requestId }) => {
      const locale = localeOf(query.lang, headers)
      const claim = await findClaim(api, params.secret)
      if (!claim) return noClaimPage(api.web, locale)
      const facts = factsOf(api, claim, locale)
      const typed = body.address.trim()
      const closed = shut(api, facts, typed)
      if (closed) return closed

      const address = await addressIn(api, claim, typed)
      if (!address) return namingPage(api.web, facts, { address: typed, fault: 'invalid_destination' })
      const { signature = '' } = body
      const message = claimMessage(claim, facts.host, address)
      if (signature !== '' && (await signerOf(message, signature)) !== address)
        return namingPage(api.web, facts, { address: typed, fault: 'invalid_signature' })
      if (!body.confirmed) return confirmPage(api.web, facts, address, signature)

      const named = await nameDestination(api, claim, address, {
        shown: signature === '' ? undefined : { message, signature },
        cause: causeOfCustomer({ requestId }),
      })
      if (named) return namedPage(api.web, { ...facts, claim: { ...claim, refund: named } }, address)
      // Another request was faster, or the merchant has canceled the refund.
      const latest = await findClaim(api, params.secret)
      return (latest && shut(api, factsOf(api, latest, locale), typed)) ?? refuse('state_conflict')
    },
  }),
]

const findClaim = async ({ sql }: Api, secret: string): Promise<VisitedClaim | undefined> => {
  const hash = hashClaimSecret(secret)
  return hash && findVisitedClaim(sql, hash)
}

/** The page of a claim that no longer accepts an address; undefined if it still does. */
const shut = (api: Api, facts: ClaimPageFacts, typed: string | undefined): Answer | undefined => {
  const { claim } = facts
  const { refund } = claim
  if (isOpenClaim(refund, claim, api.clock.now())) return undefined
  const { destination } = refund.context
  if (refund.state === 'canceled' || destination === null) return closedPage(api.web, facts)
  // A repeated request with the same address gets the confirmation again.
  return typed?.toLowerCase() === destination.toLowerCase()
    ? namedPage(api.web, facts, destination)
    : takenPage(api.web, facts, typed !== undefined)
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

const factsOf = ({ chains, settings }: Api, claim: VisitedClaim, locale: Locale): ClaimPageFacts => {
  const { chainId } = claim.refund.context
  const { name, logo, accentColor } = claim.shop
  const chain = chains.find(chainId)?.chain
  return {
    ...{ claim, locale },
    // Visitors may use another host name than PUBLIC_URL.
    shop: { name, accentColor, logoUrl: logoUrlOf('', logo) },
    network: chain?.network ?? `Chain ${chainId}`,
    explorerUrl: chain?.explorerUrl ?? null,
    sandboxWallet: chainId === sandboxId ? payer : null,
    host: new URL(settings.publicUrl).host,
  }
}

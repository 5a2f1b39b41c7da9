import { type } from 'arktype'
import { isEmail } from '../access/email.ts'
import { type AssetChoice, listOffers } from '../commands/checkout-offers.ts'
import { isOpen, openCheckout, windowEnd } from '../commands/checkouts.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { findVisitedLink, type VisitedLink } from '../queries/checkouts.ts'
import { checkoutLink, checkoutOption } from '../records/checkout.ts'
import type { Api } from './api.ts'
import { chainIdField, symbol } from './asset.ts'
import { causeOfCustomer } from './causes.ts'
import { checkoutPaymentRoutes } from './checkout-payments.ts'
import { customersPayment } from './checkout-stream.ts'
import { openCheckoutDocs, visitLinkDocs } from './docs/checkout.ts'
import { forCustomers, type Route } from './route.ts'
import { shownText } from './text.ts'

const path = '/v1/checkout/links/:linkId'

/** As entered, without surrounding spaces from pasting. */
export const customerEmail = () =>
  type('string')
    .pipe(text => text.trim())
    .to('string <= 254')
    .narrow(isEmail)

/**
 * An empty field is no name. Line breaks are refused, because they could inject lines into an e-mail of the merchant. Joiners
 * are allowed: many scripts need them.
 */
export const customerName = () =>
  shownText(0, 200)
    .or('null')
    .narrow(text => !/[\p{Cc}\u2028\u2029]/u.test(text?.trim() ?? ''))
    .pipe(text => text?.trim() || null)

const newCheckout = () =>
  type({
    customerEmail: customerEmail(),
    'customerName?': customerName(),
    'chainId?': chainIdField(),
    'asset?': symbol(),
  })

export const checkoutRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
    docs: visitLinkDocs,
    handle: async (api, { params }) => {
      return { status: 200, body: await visitedLink(api, await find(api, params.linkId)) }
    },
  }),

  forCustomers('POST', {
    path: `${path}/payments`,
    docs: openCheckoutDocs,
    body: newCheckout,
    handle: async (api, { params, body, requestId }) => {
      const asset = chosenAsset(body)
      const { customerEmail, customerName = null } = body
      const visited = await find(api, params.linkId, customerEmail)
      const cause = causeOfCustomer({ requestId })
      const payer = { customerEmail, customerName }
      const { payment, clientSecret } = await openCheckout(api, visited, payer, { asset, cause })
      // A new deposit address has no transfers, so none are read.
      return { status: 201, body: { payment: customersPayment(api, { payment, shown: null }), clientSecret } }
    },
  }),

  ...checkoutPaymentRoutes,
]

/** The link and the assets that it can be paid with now. */
export const visitedLink = async ({ chains, clock }: Api, visited: VisitedLink) => {
  const now = clock.now()
  const { state } = visited.link
  const open = isOpen(visited, now)
  const offers = open ? await listOffers(chains, visited, windowEnd(visited, now)) : []
  const link = checkoutLink(visited, state === 'active' && !open ? 'expired' : state)
  return { link, options: offers.map(checkoutOption) }
}

const find = async ({ sql }: Api, linkId: string, email?: string): Promise<VisitedLink> => {
  const id = decodeId('plink', linkId) ?? refuse('resource_not_found')
  return (await findVisitedLink(sql, id, email)) ?? refuse('resource_not_found')
}

/** `chainId` and `asset` require each other. */
export const chosenAsset = ({ chainId, asset }: Partial<AssetChoice>): AssetChoice | undefined => {
  if (chainId === undefined && asset === undefined) return undefined
  if (chainId === undefined) return refuse('parameter_missing', { param: 'chainId' })
  return { chainId, asset: asset ?? refuse('parameter_missing', { param: 'asset' }) }
}

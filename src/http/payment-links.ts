import { type } from 'arktype'
import type { PaymentLink, PaymentLinkOpening } from '../../machines/payment-link.ts'
import type { Actor } from '../actors/kind.ts'
import { canPrice } from '../chain/quotes/quotes.ts'
import { createPaymentLink, deactivatePaymentLink } from '../commands/payment-links.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { paymentLinkRecord, paymentLinkStatus } from '../kinds/payment-link.ts'
import { findTerms } from '../queries/checkouts.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { findPaymentLink, listPaymentLinks } from '../queries/payment-links.ts'
import type { Api } from './api.ts'
import { chainIdField, symbol } from './asset.ts'
import { visitedLink } from './checkout.ts'
import {
  createPaymentLinkDocs,
  deactivatePaymentLinkDocs,
  getPaymentLinkDocs,
  listPaymentLinksDocs,
  previewPaymentLinkDocs,
} from './docs/payment-links.ts'
import { answerIdempotently } from './idempotency.ts'
import { commonFilterOf, listOf, listQuery, livemodeQuery, placedPage, searchQuery } from './list.ts'
import { metadata } from './metadata.ts'
import { moment } from './moment.ts'
import { recordKey } from './record-id.ts'
import { forMembers, type Parsed, type Route } from './route.ts'
import { onCollection, onItem } from './surfaces.ts'
import { boundedText, shownText } from './text.ts'
import { webUrl } from './web-url.ts'

// No type transforms its input: an idempotency key belongs to the body as it was sent.
export const payableAsset = () => type({ chainId: chainIdField(), asset: symbol() })

const newLink = () =>
  type({
    amountMinor: '1 <= number.integer <= 9007199254740991',
    currency: '/^[A-Z]{3}$/',
    'title?': shownText(1, 200).or('null'),
    'description?': shownText(1, 1000).or('null'),
    'reference?': shownText(1, 200).or('null'),
    'assets?': payableAsset().array().atLeastLength(1).atMostLength(100).or('null'),
    'maxPayments?': '1 <= number.integer <= 2147483647 | null',
    'windowMinutes?': '5 <= number.integer <= 10080',
    'expiresAt?': moment().or('null'),
    'successUrl?': webUrl().or('null'),
    'metadata?': metadata(),
  })

const filters = () => type({ 'reference?': boundedText(1, 200), 'hidden?': "'true' | 'false'" })

export const paymentLinkRoutes: readonly Route[] = [
  ...onCollection(
    'GET',
    { scope: 'payments:read' },
    {
      path: '/payment-links',
      docs: listPaymentLinksDocs,
      query: () => listQuery().merge(searchQuery(paymentLinkStatus)).merge(filters()),
      handle: async (api, { owner, query }) => {
        const { reference, limit } = query
        const page = await placedPage(api.sql, 'payment_link', owner, query)
        const filter = { ...commonFilterOf(query), reference, hidden: query.hidden === 'true' }
        const links = await listPaymentLinks(api.sql, owner, filter, page)
        return { status: 200, body: listOf(links, limit, recordIn(api)) }
      },
    },
  ),

  ...onCollection(
    'POST',
    { scope: 'payment_links:write' },
    {
      path: '/payment-links',
      docs: createPaymentLinkDocs,
      body: newLink,
      handle: (api, call) => {
        const opening = openingOf(call.owner, call.body)
        return answerIdempotently<PaymentLink>(api, call, {
          work: responseRows => {
            // After the lookup of the idempotency key: in a repeated request the time may have passed.
            requireCreatable(api, opening)
            return createPaymentLink(api, opening, { cause: call.cause, responseRows })
          },
          answer: link => ({ status: 201, body: recordIn(api)(link) }),
        })
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: '/v1/merchants/:merchantId/payment-links/preview',
      docs: previewPaymentLinkDocs,
      query: livemodeQuery,
      body: newLink,
      handle: async (api, { member: { merchantId }, query: { livemode }, body }) => {
        const opening = openingOf({ merchantId, livemode }, body)
        requireCreatable(api, opening)
        const terms = (await findTerms(api.sql, opening)) ?? refuse('resource_not_found')
        return { status: 200, body: await visitedLink(api, { ...terms, link: unsaved(api, opening) }) }
      },
    },
  ),

  ...onItem(
    'GET',
    { scope: 'payments:read' },
    {
      path: '/payment-links/:id',
      docs: getPaymentLinkDocs,
      handle: async (api, call) => {
        const link = await findPaymentLink(api.sql, recordKey('plink', call))
        return { status: 200, body: recordIn(api)(link ?? refuse('resource_not_found')) }
      },
    },
  ),

  ...onItem(
    'POST',
    { scope: 'payment_links:write' },
    {
      path: '/payment-links/:id/deactivate',
      docs: deactivatePaymentLinkDocs,
      handle: (api, call) =>
        answerIdempotently<PaymentLink>(api, call, {
          work: responseRows =>
            deactivatePaymentLink(api, recordKey('plink', call), { cause: call.cause, responseRows }),
          answer: link => ({ status: 200, body: recordIn(api)(link) }),
        }),
    },
  ),
]

const requireCreatable = (api: Api, opening: PaymentLinkOpening): void => {
  if (opening.expiresAt && opening.expiresAt <= api.clock.now()) refuse('parameter_invalid', { param: 'expiresAt' })
  requirePayable(api, opening)
}

/** Refuses currencies and assets in which nothing can be paid. */
export const requirePayable = (api: Api, asked: Asked): void => {
  if (!currencies.includes(asked.currency)) refuse('unsupported_currency', { param: 'currency' })
  requireOffered(api, asked)
}

type Asked = Pick<PaymentLinkOpening, 'livemode' | 'currency'> & {
  readonly assets: readonly { readonly chainId: number; readonly asset: string }[] | null
}

const currencies: readonly string[] = ['USD', 'EUR']

/** Refuses assets that are not available, or have no price in the currency: the link could not be paid. */
const requireOffered = ({ chains }: Api, { livemode, assets, currency }: Asked): void => {
  for (const [at, { chainId, asset }] of (assets ?? []).entries()) {
    const chain = chains.find(chainId)?.chain
    if (chain?.livemode !== livemode) {
      refuse('unsupported_asset', {
        param: `assets.${at}.chainId`,
        message: 'The chain is not enabled on this server.',
      })
    } else if (!canPrice(chain, asset, currency)) {
      refuse('unsupported_asset', { param: `assets.${at}.asset` })
    }
  }
}

/** A link that is not stored. */
const unsaved = ({ clock, random }: Api, opening: PaymentLinkOpening): Actor<PaymentLink> => {
  const now = clock.now()
  const counts = { paymentsOpened: 0, paymentsProcessing: 0, paymentsCount: 0 }
  return {
    ...{ id: uuidv7(now, random), kind: 'payment_link', state: 'active', rev: 1, createdAt: now, updatedAt: now },
    context: { ...opening, ...counts, deactivatedAt: null },
  }
}

const recordIn =
  ({ settings }: Api) =>
  (link: Actor<PaymentLink>) =>
    paymentLinkRecord.render(link, settings)

const openingOf = ({ merchantId, livemode }: ListOwner, body: Parsed<typeof newLink>): PaymentLinkOpening => ({
  merchantId,
  livemode,
  amountMinor: body.amountMinor,
  currency: body.currency,
  title: body.title ?? null,
  description: body.description ?? null,
  reference: body.reference ?? null,
  assets: body.assets ?? null,
  maxPayments: body.maxPayments ?? null,
  windowMinutes: body.windowMinutes ?? 30,
  expiresAt: typeof body.expiresAt === 'string' ? new Date(body.expiresAt) : null,
  successUrl: body.successUrl ?? null,
  metadata: body.metadata ?? {},
  hidden: false,
})

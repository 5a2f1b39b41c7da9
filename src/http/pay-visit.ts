import { hashClientSecret } from '../access/client-secret.ts'
import { publicNodes } from '../chain/known/public-nodes.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { isOpen, isUnderWay, takesPayments } from '../commands/checkouts.ts'
import { decodeId } from '../ids.ts'
import type { WholeText } from '../pages/answer.ts'
import type { CheckoutFacts } from '../pages/checkout/facts.ts'
import type { RefusedForm } from '../pages/checkout/open.ts'
import { checkoutPage, refusedPage } from '../pages/checkout/page.ts'
import { findCheckout, findVisitedLink, type VisitedLink } from '../queries/checkouts.ts'
import type { ShownPayment } from '../queries/payments.ts'
import type { Locale } from '../web/text/locale.ts'
import { isLoopbackHost } from './address.ts'
import type { Api } from './api.ts'
import { compressed } from './compressed.ts'
import { localeOf } from './locale.ts'
import { readPayCookies, writePayCookie } from './pay-cookie.ts'
import { gatherFacts } from './pay-facts.ts'
import type { Answer } from './route.ts'

/** Who visits which page: what the address and the cookie say, and what they lead to. */
export type PayVisit = {
  readonly linkId: string
  readonly visited: VisitedLink | undefined
  /** The payment of the cookie; null on the page of a link. */
  readonly shown: ShownPayment | null
  /** The address is that of a payment which this browser must not see, or which does not exist. */
  readonly isUnknownPayment: boolean
  readonly clientSecret: string | undefined
  readonly path: string
  /** Of links and forms that lead to this page. */
  readonly query: string
  /** `?lang=de`, if the customer has chosen it. */
  readonly language: string
  /** The customer wants another payment besides the one that is under way. */
  readonly isAnother: boolean
  readonly locale: Locale
  /** The address of the payment is wanted as a QR code. */
  readonly wantsPhone: boolean
  readonly headers: Headers
  readonly requestId: string
}

type PageQuery = { readonly lang?: string; readonly s?: string; readonly phone?: string; readonly another?: string }

type PageCall = {
  readonly params: { readonly linkId: string; readonly paymentId?: string }
  readonly headers: Headers
  readonly query?: PageQuery | undefined
  readonly requestId: string
}

export const pathOfPayment = (linkId: string, paymentId: string): string => `/pay/${linkId}/${paymentId}`

export const findPayVisit = async (
  api: Api,
  { params, headers, requestId, query = {} }: PageCall,
): Promise<PayVisit> => {
  const { linkId, paymentId } = params
  const id = decodeId('plink', linkId)
  const visited = id === undefined ? undefined : await findVisitedLink(api.sql, id)
  const language = query.lang === undefined ? '' : `?lang=${query.lang}`
  const isAnother = query.another === '1'
  const common = {
    ...{ linkId, visited, headers, requestId, locale: localeOf(query.lang, headers), language, isAnother },
    query: isAnother ? `?another=1${language.replace('?', '&')}` : language,
    wantsPhone: query.phone === '1',
  }
  if (paymentId === undefined)
    return { ...common, shown: null, isUnknownPayment: false, clientSecret: undefined, path: `/pay/${linkId}` }
  const found = visited && (await findOwn(api, visited, paymentId, secretsIn(api, headers, query.s)))
  return {
    ...common,
    shown: found?.shown ?? null,
    isUnknownPayment: !found,
    clientSecret: found?.clientSecret,
    path: pathOfPayment(linkId, paymentId),
  }
}

const secretsIn = ({ settings }: Api, headers: Headers, asked: string | undefined): readonly string[] =>
  asked === undefined ? readPayCookies(settings.publicUrl, headers, 'pay') : [asked]

/**
 * Where a customer who comes back to the link is led to: the payment of the last visit, as long as it can be paid or is being
 * confirmed, and to the paid one if the link takes no more. Without it, a second tab would open a second payment.
 */
export const findWayBack = async (api: Api, visit: PayVisit): Promise<string | undefined> => {
  const { visited, linkId, isAnother, headers } = visit
  if (!visited || isAnother) return undefined
  const now = api.clock.now()
  for (const clientSecret of readPayCookies(api.settings.publicUrl, headers, 'latest')) {
    const [paymentId = ''] = clientSecret.split('_secret_')
    const found = await findOwn(api, visited, paymentId, [clientSecret])
    if (!found) continue
    const { payment } = found.shown
    const isPaid = payment.state === 'success' && !takesPayments(visited, now)
    if (isPaid || isUnderWay(payment, now)) return pathOfPayment(linkId, paymentId) + visit.language
  }
  return undefined
}

/** The payment, if one of the secrets is its own. */
const findOwn = async ({ sql }: Api, { link }: VisitedLink, paymentId: string, secrets: readonly string[]) => {
  const id = decodeId('pay', paymentId)
  if (id === undefined) return undefined
  for (const clientSecret of secrets) {
    const shown = await findCheckout(sql, id, hashClientSecret(clientSecret))
    if (shown?.payment.context.paymentLinkId === link.id) return { shown, clientSecret }
  }
  return undefined
}

/** The page as it is now; after a refused form with what was entered. */
export const payPageOf = async (api: Api, visit: PayVisit, refused?: RefusedForm): Promise<Answer> => {
  const { visited, shown, isUnknownPayment, path, query, locale, linkId } = visit
  if (!visited || isUnknownPayment) {
    const linkPath = visited && isOpen(visited, api.clock.now()) ? `/pay/${linkId}` : undefined
    return send(
      visit,
      checkoutPage(api.web, unknownFacts(api, locale), {
        ...nothingBesides,
        path: linkPath === undefined ? '' : path,
        query,
        linkPath,
      }),
    )
  }
  if (shown) api.balanceChecks.request(shown.payment)
  const { facts, readings } = await gatherFacts(api, visited, shown, locale)
  const chainId = shown?.payment.context.chainId ?? null
  const reading = readings.find(each => each.chainId === chainId)
  const page = checkoutPage(api.web, facts, {
    ...{ path, query, refused },
    phoneUrl:
      visit.wantsPhone && visit.clientSecret !== undefined ? phoneUrl(api, visit, visit.clientSecret) : undefined,
    rpcUrl: chainId === null ? undefined : nodeForWallets(api, chainId),
    anchor: reading?.finalHash ? { number: reading.finalNumber, hash: reading.finalHash } : undefined,
  })
  return send(visit, page, latestCookie(api, visit))
}

/** Set by the page of a payment that is under way, unless the browser has it. */
const latestCookie = ({ settings, clock }: Api, { shown, clientSecret, linkId, headers }: PayVisit) => {
  const now = clock.now()
  if (!shown || clientSecret === undefined || !isUnderWay(shown.payment, now)) return undefined
  const { publicUrl } = settings
  if (readPayCookies(publicUrl, headers, 'latest').includes(clientSecret)) return undefined
  const { expiresAt } = shown.payment.context
  return writePayCookie({ name: 'latest', publicUrl, path: `/pay/${linkId}`, clientSecret, expiresAt, now })
}

const nothingBesides = { phoneUrl: undefined, rpcUrl: undefined, anchor: undefined }

const phoneUrl = ({ settings }: Api, { path, query }: PayVisit, clientSecret: string): string =>
  `${settings.publicUrl}${path}?s=${clientSecret}${query.replace('?', '&')}`

/** Never a node of the operator, whose URL can contain a key. */
export const nodeForWallets = ({ sandbox }: Api, chainId: number): string | undefined => {
  if (chainId !== sandboxId || !sandbox) return publicNodes[chainId]
  return isLoopbackHost(new URL(sandbox.url).host) ? sandbox.url : undefined
}

const unknownFacts = ({ clock }: Api, locale: Locale): CheckoutFacts => ({
  link: undefined,
  shop: { name: '', logoUrl: null, accentColor: null, supportEmail: null, supportUrl: null },
  ...{ isOpen: false, options: [], troubles: new Map(), payment: null, now: clock.now(), locale },
})

/** The answer to a form that another site has sent. */
export const foreignPage = (api: Api, { params, headers, query = {} }: PageCall): Answer => {
  const locale = localeOf(query.lang, headers)
  const path = `/pay/${params.linkId}`
  return send({ headers }, refusedPage(api.web, unknownFacts(api, locale), path))
}

/** 303: the browser reads the page by GET, and a reload sends no form again. */
export const redirectTo = (location: string, cookie?: string): Answer => ({
  status: 303,
  headers: { location, 'referrer-policy': 'same-origin', ...(cookie !== undefined && { 'set-cookie': cookie }) },
})

const send = ({ headers }: Pick<PayVisit, 'headers'>, page: WholeText, cookie?: string): Answer =>
  compressed(cookie === undefined ? page : { ...page, headers: { ...page.headers, 'set-cookie': cookie } }, headers)

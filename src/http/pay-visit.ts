import type { Payment } from '../../machines/payment-events.ts'
import { hashClientSecret } from '../access/client-secret.ts'
import { hashPageToken } from '../access/page-token.ts'
import type { Actor } from '../actors/kind.ts'
import { publicNodes } from '../chain/known/public-nodes.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { isOpen, isUnderWay, takesPayments } from '../commands/checkouts.ts'
import { decodeId, encodeId } from '../ids.ts'
import type { WholeText } from '../pages/answer.ts'
import type { CheckoutFacts } from '../pages/checkout/facts.ts'
import type { RefusedForm } from '../pages/checkout/open.ts'
import { checkoutPage, refusedPage } from '../pages/checkout/page.ts'
import {
  findCheckout,
  findLinkOf,
  findVisitedLink,
  type VisitedLink,
  type WatchedPayment,
} from '../queries/checkouts.ts'
import { findVisitedInvoice, type VisitedInvoice } from '../queries/invoice-pages.ts'
import type { Locale } from '../web/text/locale.ts'
import { isLoopbackHost } from './address.ts'
import type { Api } from './api.ts'
import { compressed } from './compressed.ts'
import { localeOf } from './locale.ts'
import { readPayCookies, writePayCookie } from './pay-cookie.ts'
import { gatherFacts, paidInvoiceOf } from './pay-facts.ts'
import type { Answer } from './route.ts'

/** Who visits which page: what the address and the cookie say, and what they lead to. */
export type PayVisit = {
  /** The path of the page to which the payment belongs: that of a payment link, or of an invoice. */
  readonly parent: string
  /** The invoice that is paid, on the pages of its payments. */
  readonly invoice?: VisitedInvoice
  readonly visited: VisitedLink | undefined
  /** The payment of the cookie; null on the page of a link. */
  readonly shown: WatchedPayment | null
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

type PageRequest = {
  readonly headers: Headers
  readonly query?: PageQuery | undefined
  readonly requestId: string
}

type PageCall = PageRequest & { readonly params: { readonly linkId: string; readonly paymentId?: string } }

type InvoicePageCall = PageRequest & { readonly params: { readonly token: string; readonly paymentId: string } }

export const pathOfPayment = (parent: string, paymentId: string): string => `${parent}/${paymentId}`

export const findPayVisit = async (api: Api, call: PageCall): Promise<PayVisit> => {
  const { linkId, paymentId } = call.params
  const id = decodeId('plink', linkId)
  const visited = id === undefined ? undefined : await findVisitedLink(api.sql, id)
  const common = { ...requestOf(call), parent: `/pay/${linkId}`, visited }
  if (paymentId === undefined)
    return { ...common, shown: null, isUnknownPayment: false, clientSecret: undefined, path: common.parent }
  const isOf = ({ paymentLinkId }: Payment) => paymentLinkId === visited?.link.id
  return { ...common, ...(await findPaymentOf(api, call, { isOf, parent: common.parent, paymentId })) }
}

/** The page of a payment of an invoice. The token in the address must be valid too. */
export const findInvoicePayVisit = async (api: Api, call: InvoicePageCall): Promise<PayVisit> => {
  const { token, paymentId } = call.params
  const hash = hashPageToken(token)
  const invoice = hash === undefined ? undefined : await findVisitedInvoice(api.sql, hash)
  const common = { ...requestOf(call), parent: `/invoices/${token}`, ...(invoice && { invoice }) }
  const isOf = ({ invoiceId }: Payment) => invoiceId !== null && invoiceId === invoice?.invoice.id
  const found = await findPaymentOf(api, call, { isOf, parent: common.parent, paymentId })
  return {
    ...common,
    ...found,
    visited: found.shown ? await findLinkOf(api.sql, found.shown.payment.context) : undefined,
  }
}

const requestOf = ({ headers, requestId, query = {} }: PageRequest) => {
  const language = query.lang === undefined ? '' : `?lang=${query.lang}`
  const isAnother = query.another === '1'
  return {
    ...{ headers, requestId, locale: localeOf(query.lang, headers), language, isAnother },
    query: isAnother ? `?another=1${language.replace('?', '&')}` : language,
    wantsPhone: query.phone === '1',
  }
}

type Whose = { readonly isOf: (payment: Payment) => boolean; readonly parent: string; readonly paymentId: string }

const findPaymentOf = async (api: Api, { headers, query = {} }: PageRequest, { isOf, parent, paymentId }: Whose) => {
  const found = await findOwn(api, isOf, paymentId, secretsIn(api, headers, query.s))
  return {
    shown: found?.shown ?? null,
    isUnknownPayment: !found,
    clientSecret: found?.clientSecret,
    path: pathOfPayment(parent, paymentId),
  }
}

const secretsIn = ({ settings }: Api, headers: Headers, asked: string | undefined): readonly string[] =>
  asked === undefined ? readPayCookies(settings.publicUrl, headers, 'pay') : [asked]

/**
 * Where a customer who comes back to the link is led to: the payment of the last visit, as long as it can be paid or is being
 * confirmed, and to the paid one if the link takes no more. Without it, a second tab would open a second payment.
 */
export const findWayBack = async (api: Api, visit: PayVisit): Promise<string | undefined> => {
  const { visited, parent, isAnother, headers } = visit
  if (!visited || isAnother) return undefined
  const now = api.clock.now()
  const isOf = ({ paymentLinkId }: Payment) => paymentLinkId === visited.link.id
  for (const payment of await findLatest(api, headers, isOf)) {
    const isPaid = payment.state === 'success' && !takesPayments(visited, now)
    if (isPaid || isUnderWay(payment, now)) return pathOfPayment(parent, encodeId('pay', payment.id)) + visit.language
  }
  return undefined
}

/** The payments of the last visits of this browser to the page of a link or an invoice. */
export const findLatest = async (
  api: Api,
  headers: Headers,
  isOf: (payment: Payment) => boolean,
): Promise<readonly Actor<Payment>[]> => {
  const secrets = readPayCookies(api.settings.publicUrl, headers, 'latest')
  const found = await Promise.all(
    secrets.map(secret => findOwn(api, isOf, secret.split('_secret_')[0] ?? '', [secret])),
  )
  return found.flatMap(each => (each ? [each.shown.payment] : []))
}

/** The payment, if one of the secrets is its own. */
const findOwn = async (
  { sql }: Api,
  isOf: (payment: Payment) => boolean,
  paymentId: string,
  secrets: readonly string[],
) => {
  const id = decodeId('pay', paymentId)
  if (id === undefined) return undefined
  for (const clientSecret of secrets) {
    const shown = await findCheckout(sql, id, hashClientSecret(clientSecret))
    if (shown && isOf(shown.payment.context)) return { shown, clientSecret }
  }
  return undefined
}

/** The page as it is now; after a refused form with what was entered. */
export const payPageOf = async (api: Api, visit: PayVisit, refused?: RefusedForm): Promise<Answer> => {
  const { visited, shown, isUnknownPayment, path, query, locale, parent, invoice } = visit
  if (!visited || isUnknownPayment) {
    const isKnown = invoice ? invoice.invoice.state !== 'void' : visited && isOpen(visited, api.clock.now())
    const linkPath = isKnown ? parent : undefined
    return sendPage(
      visit,
      checkoutPage(api.web, unknownFacts(api, locale), {
        ...nothingBesides,
        path: linkPath === undefined ? '' : path,
        query,
        linkPath,
        isOfInvoice: isOfInvoice(parent),
      }),
    )
  }
  if (shown) api.balanceChecks.request(shown.payment)
  const paid = invoice && paidInvoiceOf(invoice.invoice, parent)
  const { facts, readings } = await gatherFacts(api, visited, shown, { locale, invoice: paid })
  const chainId = shown?.payment.context.chainId ?? null
  const reading = readings.find(each => each.chainId === chainId)
  const page = checkoutPage(api.web, facts, {
    ...{ path, query, refused },
    phoneUrl:
      visit.wantsPhone && visit.clientSecret !== undefined ? phoneUrl(api, visit, visit.clientSecret) : undefined,
    rpcUrl: chainId === null ? undefined : nodeForWallets(api, chainId),
    anchor: reading?.finalHash ? { number: reading.finalNumber, hash: reading.finalHash } : undefined,
  })
  return sendPage(visit, page, latestCookie(api, visit))
}

/** Set by the page of a payment that is under way, unless the browser has it. */
const latestCookie = ({ settings, clock }: Api, { shown, clientSecret, parent, headers }: PayVisit) => {
  const now = clock.now()
  if (!shown || clientSecret === undefined || !isUnderWay(shown.payment, now)) return undefined
  const { publicUrl } = settings
  if (readPayCookies(publicUrl, headers, 'latest').includes(clientSecret)) return undefined
  const { expiresAt } = shown.payment.context
  return writePayCookie({ name: 'latest', publicUrl, path: parent, clientSecret, expiresAt, now })
}

const nothingBesides = { phoneUrl: undefined, rpcUrl: undefined, anchor: undefined }

const phoneUrl = ({ settings }: Api, { path, query }: PayVisit, clientSecret: string): string =>
  `${settings.publicUrl}${path}?s=${clientSecret}${query.replace('?', '&')}`

/** Never a node of the operator, whose URL can contain a key. */
export const nodeForWallets = ({ sandbox }: Api, chainId: number): string | undefined => {
  if (chainId !== sandboxId || !sandbox) return publicNodes[chainId]
  return isLoopbackHost(new URL(sandbox.url).host) ? sandbox.url : undefined
}

export const unknownFacts = ({ clock }: Api, locale: Locale): CheckoutFacts => ({
  link: undefined,
  shop: { name: '', logoUrl: null, accentColor: null, supportEmail: null, supportUrl: null },
  ...{ isOpen: false, options: [], troubles: new Map(), payment: null, now: clock.now(), locale },
})

/** The answer to a form that another site has sent. */
export const foreignPage = (api: Api, path: string, { headers, query = {} }: PageRequest): Answer => {
  const locale = localeOf(query.lang, headers)
  return sendPage({ headers }, refusedPage(api.web, unknownFacts(api, locale), path))
}

/** 303: the browser reads the page by GET, and a reload sends no form again. */
export const redirectTo = (location: string, cookie?: string): Answer => {
  const policy = isOfInvoice(location) ? 'no-referrer' : 'same-origin'
  return {
    status: 303,
    headers: { location, 'referrer-policy': policy, ...(cookie !== undefined && { 'set-cookie': cookie }) },
  }
}

/** The address of the page contains the token of an invoice or a subscription. */
const isOfInvoice = (path: string): boolean => /^\/(?:invoices|subscriptions)\//.test(path)

export const sendPage = ({ headers }: Pick<PayVisit, 'headers'>, page: WholeText, cookie?: string): Answer =>
  compressed(cookie === undefined ? page : { ...page, headers: { ...page.headers, 'set-cookie': cookie } }, headers)

import { type } from 'arktype'
import { isCrossSite } from '../access/refresh-cookie.ts'
import type { AssetChoice } from '../commands/checkout-offers.ts'
import { isOpen, openCheckout, pickAsset } from '../commands/checkouts.ts'
import { submitTransaction } from '../commands/submissions.ts'
import { isErasedEmail } from '../email-key.ts'
import { Refusal, refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import type { RefusedForm } from '../pages/checkout/open.ts'
import type { ShownPayment } from '../queries/payments.ts'
import { checkoutTextsOf } from '../web/text/checkout/texts.ts'
import type { Api } from './api.ts'
import { causeOfCustomer } from './causes.ts'
import { customerEmail, customerName } from './checkout.ts'
import { openPaymentStream } from './checkout-payments.ts'
import type { Docs } from './docs/docs.ts'
import {
  openPayPageDocs,
  payAgainPageDocs,
  pickAssetPageDocs,
  simulatePageDocs,
  streamPaymentPageDocs,
  submitTransactionPageDocs,
  visitPaymentPageDocs,
  visitPayPageDocs,
} from './docs/pay-pages.ts'
import { writePayCookie } from './pay-cookie.ts'
import {
  findPayVisit,
  findWayBack,
  foreignPage,
  type PayVisit,
  pathOfPayment,
  payPageOf,
  redirectTo,
} from './pay-visit.ts'
import { type Answer, type Call, type Declared, forCustomers, type Parsed, type Route } from './route.ts'
import { simulateInTest } from './simulate.ts'

const linkPath = '/pay/:linkId'
const path = '/pay/:linkId/:paymentId'

/** Of the address. Other parameters are ignored: shops and messengers append theirs. */
const pageQuery = () => type({ 'lang?': "'en' | 'de'", 's?': 'string <= 500', 'phone?': "'1'" })
const linkQuery = () => type({ 'lang?': "'en' | 'de'", 'another?': "'1'" })
const languageQuery = () => type({ 'lang?': "'en' | 'de'" })

/** Checked by the handler, which shows what is wrong beside the field. */
const openForm = () => type({ 'email?': 'string', 'name?': 'string', 'chainId?': 'string', 'asset?': 'string' })
const assetForm = () => type({ 'chainId?': 'string', 'asset?': 'string' })
const transactionForm = () => type({ 'txHash?': 'string' })

type PaymentVisit = PayVisit & { readonly shown: ShownPayment }

type PaymentForm<Body extends Declared> = {
  readonly docs: Docs
  readonly body?: Body
  readonly handle: (api: Api, visit: PaymentVisit, call: Call<typeof path, Parsed<Body>, Language>) => Promise<Answer>
}

type Language = Parsed<typeof languageQuery>

/** A form on the page of a payment. From another site it does nothing; without the payment, the page says why. */
const paymentForm = <Body extends Declared = undefined>(
  name: string,
  { docs, body, handle }: PaymentForm<Body>,
): Route =>
  forCustomers('POST', {
    path: `${path}/${name}` as typeof path,
    page: true,
    form: true,
    docs,
    query: languageQuery,
    ...(body && { body }),
    handle: async (api, call) => {
      if (isCrossSite(api.settings.publicUrl, call.headers)) return foreignPage(api, call)
      const { shown, ...visit } = await findPayVisit(api, call)
      return shown ? handle(api, { ...visit, shown }, call) : payPageOf(api, { ...visit, shown })
    },
  })

export const payPageRoutes: readonly Route[] = [
  forCustomers('GET', {
    path: linkPath,
    page: true,
    docs: visitPayPageDocs,
    query: linkQuery,
    handle: async (api, call) => {
      const visit = await findPayVisit(api, call)
      const back = await findWayBack(api, visit)
      return back === undefined ? payPageOf(api, visit) : redirectTo(back)
    },
  }),

  forCustomers('POST', {
    path: linkPath,
    page: true,
    form: true,
    docs: openPayPageDocs,
    query: linkQuery,
    body: openForm,
    handle: async (api, call) => {
      if (isCrossSite(api.settings.publicUrl, call.headers)) return foreignPage(api, call)
      const visit = await findPayVisit(api, call)
      const back = await findWayBack(api, visit)
      if (back !== undefined) return redirectTo(back)
      if (!visit.visited || !isOpen(visit.visited, api.clock.now())) return payPageOf(api, visit)
      const texts = checkoutTextsOf(visit.locale).errors
      const email = customerEmail()(call.body.email ?? '')
      const name = customerName()(call.body.name ?? '')
      const entered = { email: call.body.email, name: call.body.name, asset: assetTextIn(call.body) }
      const asset = assetIn(call.body)
      if (email instanceof type.errors || name instanceof type.errors || asset === null)
        return payPageOf(api, visit, {
          ...entered,
          errors: {
            ...(email instanceof type.errors && { email: texts.email }),
            ...(name instanceof type.errors && { name: texts.name }),
            ...(asset === null && { asset: texts.asset }),
          },
        })
      return openOrExplain(api, visit, { customerEmail: email, customerName: name }, { asset, entered })
    },
  }),

  forCustomers('GET', {
    path,
    page: true,
    docs: visitPaymentPageDocs,
    query: pageQuery,
    handle: async (api, call) => {
      const visit = await findPayVisit(api, call)
      if (call.query.s === undefined || !visit.shown) return payPageOf(api, visit)
      return redirectTo(visit.path + visit.query, cookieOf(api, visit, call.query.s))
    },
  }),

  forCustomers('GET', {
    path: `${path}/stream`,
    docs: streamPaymentPageDocs,
    handle: async (api, call) => {
      const { shown } = await findPayVisit(api, call)
      return openPaymentStream(api, shown ?? refuse('resource_not_found'), call)
    },
  }),

  paymentForm('asset', {
    docs: pickAssetPageDocs,
    body: assetForm,
    handle: async (api, visit, call) => {
      const texts = checkoutTextsOf(visit.locale).errors
      const entered = { asset: assetTextIn(call.body) }
      const asset = assetIn(call.body)
      if (!asset) return payPageOf(api, visit, { ...entered, errors: { asset: texts.asset } })
      try {
        await pickAsset(api, visit.shown.payment, asset, causeOfCustomer(call))
        return redirectTo(visit.path + visit.query)
      } catch (error) {
        const errors = explain(api, visit, error, asset)
        return payPageOf(api, await findPayVisit(api, call), { ...entered, errors })
      }
    },
  }),

  paymentForm('transaction', {
    docs: submitTransactionPageDocs,
    body: transactionForm,
    handle: async (api, visit, call) => {
      const texts = checkoutTextsOf(visit.locale).errors
      const txHash = call.body.txHash?.trim() ?? ''
      if (!/^0x[0-9a-fA-F]{64}$/.test(txHash)) return payPageOf(api, visit, { errors: { page: texts.transaction } })
      try {
        const { isNews } = await submitTransaction(api, visit.shown.payment, txHash)
        api.balanceChecks.request(visit.shown.payment, { again: isNews })
        return redirectTo(visit.path + visit.query)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return payPageOf(api, visit, { errors: { page: texts.tooMany } })
      }
    },
  }),

  paymentForm('again', {
    docs: payAgainPageDocs,
    handle: async (api, visit) => {
      if (!visit.visited) return payPageOf(api, visit)
      const { payment } = visit.shown
      const isOver = payment.state !== 'pending' || endOf(visit.shown) <= api.clock.now()
      const isPaid = payment.state === 'success' || payment.state === 'processing'
      if (!isOver || isPaid) return redirectTo(visit.path + visit.query)
      const asLink = { ...visit, shown: null, path: `/pay/${visit.linkId}` }
      if (!isOpen(visit.visited, api.clock.now())) return payPageOf(api, asLink)
      const { customerEmail, customerName, chainId, asset } = payment.context
      // The personal data was erased: the page of the link asks for it.
      if (isErasedEmail(customerEmail)) return redirectTo(asLink.path + visit.language)
      const before = chainId === null || asset === null ? undefined : { chainId, asset }
      return openOrExplain(api, asLink, { customerEmail, customerName }, { asset: before, isOptional: true })
    },
  }),

  paymentForm('simulate', {
    docs: simulatePageDocs,
    handle: async (api, visit, call) => {
      try {
        await simulateInTest(api, visit.shown.payment, 'paid', causeOfCustomer(call))
        return redirectTo(visit.path + visit.query)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const { simulation } = checkoutTextsOf(visit.locale).errors
        return payPageOf(api, await findPayVisit(api, call), { errors: { page: simulation } })
      }
    },
  }),
]

type Opening = {
  readonly asset: AssetChoice | undefined
  /** What the form contained. */
  readonly entered?: Omit<RefusedForm, 'errors'>
  /** Without the asset, if it cannot be paid with now. */
  readonly isOptional?: boolean
}

/** Opens a payment and leads to its page; if it is refused, the page of the link says why. */
const openOrExplain = async (
  api: Api,
  visit: PayVisit,
  customer: { readonly customerEmail: string; readonly customerName: string | null },
  { asset, entered = {}, isOptional = false }: Opening,
): Promise<Answer> => {
  const { visited } = visit
  if (!visited) return payPageOf(api, visit)
  try {
    const { payment, clientSecret } = await openCheckout(api, visited, customer, {
      asset,
      cause: causeOfCustomer(visit),
    })
    const opened = {
      ...visit,
      path: pathOfPayment(visit.linkId, encodeId('pay', payment.id)),
      shown: { payment, shown: null },
    }
    return redirectTo(opened.path + visit.language, cookieOf(api, opened, clientSecret))
  } catch (error) {
    if (error instanceof Refusal && error.code === 'payment_link_not_active')
      return payPageOf(api, {
        ...visit,
        visited: { ...visited, link: { ...visited.link, state: closedState(visited.link.state) } },
      })
    if (isOptional && error instanceof Refusal && ASSET_CODES.includes(error.code))
      return openOrExplain(api, visit, customer, { asset: undefined })
    return payPageOf(api, visit, { ...entered, errors: explain(api, visit, error, asset) })
  }
}

/** It was closed after it was read: all of its payments are taken. */
const closedState = (state: string) => (state === 'active' ? 'completed' : state)

const ASSET_CODES: readonly string[] = ['unsupported_asset', 'rate_unavailable', 'chain_unavailable']

/** A refused asset, as sentences of the page. Faults are thrown. */
const explain = (
  { chains }: Api,
  { locale }: PayVisit,
  error: unknown,
  asset: AssetChoice | undefined,
): RefusedForm['errors'] => {
  if (!(error instanceof Refusal)) throw error
  const texts = checkoutTextsOf(locale).errors
  const network = (asset && chains.find(asset.chainId)?.chain.network) ?? ''
  if (error.code === 'unsupported_asset') return { asset: texts.unsupportedAsset }
  if (error.code === 'customer_erased') return { email: texts.email }
  if (error.code === 'rate_unavailable') return { asset: texts.noRate.replace('{asset}', asset?.asset ?? '') }
  if (error.code === 'chain_unavailable') return { asset: texts.noChain.replace('{network}', network) }
  if (error.code === 'state_conflict') return { page: texts.noLongerPossible }
  throw error
}

/** Until the price expires, or the payment window ends. */
const endOf = ({ payment: { context } }: NonNullable<PayVisit['shown']>): Date =>
  context.quoteExpiresAt !== null && context.quoteExpiresAt < context.expiresAt
    ? context.quoteExpiresAt
    : context.expiresAt

const cookieOf = ({ settings, clock }: Api, { path, shown }: PayVisit, clientSecret: string): string =>
  writePayCookie({
    ...{ name: 'pay', publicUrl: settings.publicUrl, path, clientSecret, now: clock.now() },
    expiresAt: shown?.payment.context.expiresAt ?? clock.now(),
  })

type AssetFields = { readonly chainId?: string; readonly asset?: string }

/** Radio buttons have one value: `31337:TUSD`. */
const assetTextIn = ({ chainId, asset }: AssetFields): string | undefined =>
  chainId && asset ? `${chainId}:${asset}` : asset

/** Undefined if none was chosen, null if it is none. */
const assetIn = (fields: AssetFields): AssetChoice | undefined | null => {
  const text = assetTextIn(fields)
  if (!text && !fields.chainId) return undefined
  const [, chainId, asset] = /^([1-9]\d{0,15}):([A-Za-z0-9.]{1,20})$/.exec(text ?? '') ?? []
  return chainId === undefined || asset === undefined ? null : { chainId: Number(chainId), asset }
}

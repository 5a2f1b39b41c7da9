import { type } from 'arktype'
import { isCrossSite } from '../access/refresh-cookie.ts'
import { pickAsset } from '../commands/checkouts.ts'
import { submitTransaction } from '../commands/submissions.ts'
import { Refusal, refuse } from '../errors.ts'
import type { WatchedPayment } from '../queries/checkouts.ts'
import { checkoutTextsOf } from '../web/text/checkout/texts.ts'
import type { Api } from './api.ts'
import { causeOfCustomer } from './causes.ts'
import { openPaymentStream } from './checkout-payments.ts'
import type { PaymentPageDocs } from './docs/payment-pages.ts'
import { assetIn, assetTextIn, cookieOf, explainRefusal } from './pay-forms.ts'
import { foreignPage, type PayVisit, payPageOf, redirectTo } from './pay-visit.ts'
import { type Answer, type Call, type Declared, forCustomers, type Parsed, type Route } from './route.ts'
import { simulateInTest } from './simulate.ts'

/** Of the address. Other parameters are ignored: shops and messengers append theirs. */
const pageQuery = () => type({ 'lang?': "'en' | 'de'", 's?': 'string <= 500', 'phone?': "'1'" })
export const languageQuery = () => type({ 'lang?': "'en' | 'de'" })

/** Checked by the handler, which shows what is wrong beside the field. */
const assetForm = () => type({ 'chainId?': 'string', 'asset?': 'string' })
const transactionForm = () => type({ 'txHash?': 'string' })

export type PaymentVisit = PayVisit & { readonly shown: WatchedPayment }

type PageQuery = Parsed<typeof pageQuery>
type Language = Parsed<typeof languageQuery>

/** The pages of the payments of one kind of page: of payment links, or of invoices. */
export type PaymentPages<Path extends string> = {
  readonly path: Path
  readonly docs: PaymentPageDocs
  readonly parentOf: (params: Call<Path>['params']) => string
  readonly find: (api: Api, call: Call<Path, unknown, PageQuery | undefined>) => Promise<PayVisit>
  /** Opens another payment after this one has ended without success. */
  readonly again: (api: Api, visit: PaymentVisit) => Promise<Answer>
}

type PaymentForm<Path extends string, Body extends Declared> = {
  readonly docs: PaymentPageDocs['again']
  readonly body?: Body
  readonly handle: (api: Api, visit: PaymentVisit, call: Call<Path, Parsed<Body>, Language>) => Promise<Answer>
}

/** The page of a payment, its event stream, and the forms on it. The cookie is the authentication. */
export const paymentPageRoutes = <Path extends string>({
  path,
  docs,
  parentOf,
  find,
  again,
}: PaymentPages<Path>): readonly Route[] => {
  /** From another site it does nothing; without the payment, the page says why. */
  const paymentForm = <Body extends Declared = undefined>(
    name: string,
    { docs, body, handle }: PaymentForm<Path, Body>,
  ): Route =>
    forCustomers('POST', {
      path: `${path}/${name}` as Path,
      page: true,
      form: true,
      docs,
      query: languageQuery,
      ...(body && { body }),
      handle: async (api, call) => {
        if (isCrossSite(api.settings.publicUrl, call.headers)) return foreignPage(api, parentOf(call.params), call)
        const { shown, ...visit } = await find(api, call)
        return shown ? handle(api, { ...visit, shown }, call) : payPageOf(api, { ...visit, shown })
      },
    })

  return [
    forCustomers('GET', {
      path,
      page: true,
      docs: docs.visit,
      query: pageQuery,
      handle: async (api, call) => {
        const visit = await find(api, call)
        if (call.query.s === undefined || !visit.shown) return payPageOf(api, visit)
        return redirectTo(visit.path + visit.query, cookieOf(api, visit, call.query.s))
      },
    }),

    forCustomers('GET', {
      path: `${path}/stream` as Path,
      docs: docs.stream,
      handle: async (api, call) => {
        const { shown } = await find(api, call)
        return openPaymentStream(api, shown ?? refuse('resource_not_found'), call)
      },
    }),

    paymentForm('asset', {
      docs: docs.asset,
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
          const errors = explainRefusal(api, visit, error, asset)
          return payPageOf(api, await find(api, call), { ...entered, errors })
        }
      },
    }),

    paymentForm('transaction', {
      docs: docs.transaction,
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
      docs: docs.again,
      handle: async (api, visit) => {
        if (!visit.visited) return payPageOf(api, visit)
        const { payment } = visit.shown
        const isOver = payment.state !== 'pending' || endOf(visit.shown) <= api.clock.now()
        const isPaid = payment.state === 'success' || payment.state === 'processing'
        return !isOver || isPaid ? redirectTo(visit.path + visit.query) : again(api, visit)
      },
    }),

    paymentForm('simulate', {
      docs: docs.simulate,
      handle: async (api, visit, call) => {
        try {
          await simulateInTest(api, visit.shown.payment, 'paid', causeOfCustomer(call))
          return redirectTo(visit.path + visit.query)
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          const { simulation } = checkoutTextsOf(visit.locale).errors
          return payPageOf(api, await find(api, call), { errors: { page: simulation } })
        }
      },
    }),
  ]
}

/** Until the price expires, or the payment window ends. */
const endOf = ({ payment: { context } }: NonNullable<PayVisit['shown']>): Date =>
  context.quoteExpiresAt !== null && context.quoteExpiresAt < context.expiresAt
    ? context.quoteExpiresAt
    : context.expiresAt

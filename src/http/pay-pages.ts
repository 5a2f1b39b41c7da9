import { type } from 'arktype'
import { isCrossSite } from '../access/refresh-cookie.ts'
import type { AssetChoice } from '../commands/checkout-offers.ts'
import { isOpen, openCheckout } from '../commands/checkouts.ts'
import { isErasedEmail } from '../email-key.ts'
import { Refusal } from '../errors.ts'
import { encodeId } from '../ids.ts'
import type { RefusedForm } from '../pages/checkout/open.ts'
import { checkoutTextsOf } from '../web/text/checkout/texts.ts'
import type { Api } from './api.ts'
import { causeOfCustomer } from './causes.ts'
import { customerEmail, customerName } from './checkout.ts'
import { openPayPageDocs, visitPayPageDocs } from './docs/pay-pages.ts'
import { paymentPageDocs } from './docs/payment-pages.ts'
import { ASSET_CODES, assetIn, assetTextIn, cookieOf, explainRefusal } from './pay-forms.ts'
import {
  findPayVisit,
  findWayBack,
  foreignPage,
  type PayVisit,
  pathOfPayment,
  payPageOf,
  redirectTo,
} from './pay-visit.ts'
import { type PaymentVisit, paymentPageRoutes } from './payment-pages.ts'
import { type Answer, forCustomers, type Route } from './route.ts'

const path = '/pay/:linkId'

const linkQuery = () => type({ 'lang?': "'en' | 'de'", 'another?': "'1'" })

/** Checked by the handler, which shows what is wrong beside the field. */
const openForm = () => type({ 'email?': 'string', 'name?': 'string', 'chainId?': 'string', 'asset?': 'string' })

export const payPageRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
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
    path,
    page: true,
    form: true,
    docs: openPayPageDocs,
    query: linkQuery,
    body: openForm,
    handle: async (api, call) => {
      if (isCrossSite(api.settings.publicUrl, call.headers)) return foreignPage(api, `/pay/${call.params.linkId}`, call)
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

  ...paymentPageRoutes({
    path: `${path}/:paymentId`,
    docs: paymentPageDocs,
    parentOf: ({ linkId }) => `/pay/${linkId}`,
    find: findPayVisit,
    again: (api, visit) => payAgain(api, visit),
  }),
]

/** Of the same link for the same customer. */
const payAgain = async (api: Api, { shown, ...visit }: PaymentVisit): Promise<Answer> => {
  const asLink = { ...visit, shown: null, path: visit.parent }
  if (!visit.visited || !isOpen(visit.visited, api.clock.now())) return payPageOf(api, asLink)
  const { customerEmail, customerName, chainId, asset } = shown.payment.context
  // The personal data was erased: the page of the link asks for it.
  if (isErasedEmail(customerEmail)) return redirectTo(asLink.path + visit.language)
  const before = chainId === null || asset === null ? undefined : { chainId, asset }
  return openOrExplain(api, asLink, { customerEmail, customerName }, { asset: before, isOptional: true })
}

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
      path: pathOfPayment(visit.parent, encodeId('pay', payment.id)),
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
    return payPageOf(api, visit, { ...entered, errors: explainRefusal(api, visit, error, asset) })
  }
}

/** It was closed after it was read: all of its payments are taken. */
const closedState = (state: string) => (state === 'active' ? 'completed' : state)

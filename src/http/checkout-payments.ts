import { type } from 'arktype'
import { hashClientSecret } from '../access/client-secret.ts'
import { pickAsset } from '../commands/checkouts.ts'
import { submitTransaction } from '../commands/submissions.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { findCheckout, type WatchedPayment } from '../queries/checkouts.ts'
import type { Api } from './api.ts'
import { chainIdField, symbol } from './asset.ts'
import { causeOfCustomer } from './causes.ts'
import { customersPayment, seenOf } from './checkout-stream.ts'
import { openCustomersStream, type StreamCall } from './customers-stream.ts'
import {
  getCheckoutPaymentDocs,
  pickAssetDocs,
  simulateCheckoutPaymentDocs,
  streamCheckoutPaymentDocs,
  submitTransactionDocs,
} from './docs/checkout.ts'
import { type Answer, forCustomers, type Route } from './route.ts'
import { simulateInTest } from './simulate.ts'

const path = '/v1/checkout/payments/:id'

const secret = () => type({ 'clientSecret?': 'string <= 500' })
const picked = () => secret().merge({ chainId: chainIdField(), asset: symbol() })
const simulated = () => secret().merge({ 'scenario?': "'paid'" })
const submitted = () => secret().merge({ txHash: /^0x[0-9a-fA-F]{64}$/ })

export const checkoutPaymentRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
    docs: getCheckoutPaymentDocs,
    query: secret,
    handle: async (api, call) => {
      const found = await find(api, call)
      api.balanceChecks.request(found.payment)
      return { status: 200, body: customersPayment(api, found) }
    },
  }),

  forCustomers('POST', {
    path: `${path}/asset`,
    docs: pickAssetDocs,
    query: secret,
    body: picked,
    handle: async (api, call) => {
      const { payment } = await find(api, call)
      await pickAsset(api, payment, call.body, causeOfCustomer(call))
      // Read again: the response includes transfers that a reorganization removed.
      return { status: 200, body: customersPayment(api, await find(api, call)) }
    },
  }),

  forCustomers('POST', {
    path: `${path}/transaction`,
    docs: submitTransactionDocs,
    query: secret,
    body: submitted,
    handle: async (api, call) => {
      const found = await find(api, call)
      const { isNews } = await submitTransaction(api, found.payment, call.body.txHash)
      api.balanceChecks.request(found.payment, { again: isNews })
      return { status: 200, body: customersPayment(api, found) }
    },
  }),

  forCustomers('POST', {
    path: `${path}/simulate`,
    docs: simulateCheckoutPaymentDocs,
    query: secret,
    body: simulated,
    handle: async (api, call) => {
      const { payment } = await find(api, call)
      const transactions = await simulateInTest(api, payment, 'paid', causeOfCustomer(call))
      return { status: 200, body: { transactions } }
    },
  }),

  forCustomers('GET', {
    path: `${path}/stream`,
    docs: streamCheckoutPaymentDocs,
    query: secret,
    handle: async (api, call) => openPaymentStream(api, await find(api, call), call),
  }),
]

/** The event stream of a payment, for a caller who may read it. */
export const openPaymentStream = (api: Api, found: WatchedPayment, call: StreamCall): Answer =>
  openCustomersStream(api.streams, { id: found.payment.id, seen: seenOf(api, found) }, call)

type CustomersCall = {
  readonly params: { readonly id: string }
  readonly headers: Headers
  readonly query: { readonly clientSecret?: string }
  readonly body?: { readonly clientSecret?: string } | undefined
}

/** The payment of the client secret. With any other secret the payment does not exist. */
const find = async ({ sql }: Api, { params, headers, query, body }: CustomersCall): Promise<WatchedPayment> => {
  const id = decodeId('pay', params.id) ?? refuse('resource_not_found')
  const shown = headers.get('client-secret') ?? body?.clientSecret ?? query.clientSecret ?? ''
  return (await findCheckout(sql, id, hashClientSecret(shown))) ?? refuse('resource_not_found')
}

import { type } from 'arktype'
import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import { findPayment } from '../queries/payments.ts'
import { type Scenario, simulate } from '../sandbox/simulate/simulate.ts'
import type { Api } from './api.ts'
import { causeOfMember, causeOfRequest } from './causes.ts'
import { simulatePaymentAsMemberDocs, simulatePaymentDocs } from './docs/simulate.ts'
import { answerIdempotently } from './idempotency.ts'
import { recordKey } from './record-id.ts'
import { forKeys, forMembers, type Route } from './route.ts'

const path = '/v1/sandbox/payments/:id/simulate'

const wanted = () =>
  type({ scenario: "'paid' | 'underpaid' | 'overpaid' | 'late' | 'wrong_asset' | 'reverted' | 'reorged'" })

export const simulateRoutes: readonly Route[] = [
  forKeys(
    'POST',
    { scope: '*', testOnly: true },
    {
      path,
      docs: simulatePaymentDocs,
      body: wanted,
      handle: (api, { key, ...call }) => {
        const owner = { merchantId: key.merchantId, livemode: key.livemode }
        let transactions: readonly string[] = []
        return answerIdempotently<Payment>(
          api,
          { ...call, pattern: path, owner },
          {
            // The work is on the chain, not in a commit: the response is stored at the end, and a parallel request is refused.
            work: async () => {
              const payment = await findPayment(api.sql, recordKey('pay', { ...call, owner }))
              const found = payment ?? refuse('resource_not_found')
              const idempotencyKey = call.headers.get('idempotency-key')
              const cause = causeOfRequest(encodeId('key', key.id), call.requestId)
              transactions = await simulate(api, found, { scenario: call.body.scenario, cause, idempotencyKey })
              return found
            },
            answer: () => ({ status: 200, body: { transactions } }),
          },
        )
      },
    },
  ),
  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: '/v1/merchants/:merchantId/payments/:id/simulate',
      docs: simulatePaymentAsMemberDocs,
      body: wanted,
      handle: async (api, { params, body, member, ...call }) => {
        const owner = { merchantId: member.merchantId, livemode: undefined }
        const payment =
          (await findPayment(api.sql, recordKey('pay', { params, owner }))) ?? refuse('resource_not_found')
        const cause = causeOfMember(call)
        return { status: 200, body: { transactions: await simulateInTest(api, payment, body.scenario, cause) } }
      },
    },
  ),
]

/** For callers who can find payments of both modes. */
export const simulateInTest = (
  api: Api,
  payment: Actor<Payment>,
  scenario: Scenario,
  cause: string,
): Promise<readonly string[]> => {
  if (payment.context.livemode) refuse('sandbox_only')
  return simulate(api, payment, { scenario, cause, idempotencyKey: null })
}

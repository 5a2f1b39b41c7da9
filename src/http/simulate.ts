import { type } from 'arktype'
import type { Payment } from '../../machines/payment-events.ts'
import { refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import { findPayment } from '../queries/payments.ts'
import { simulate } from '../sandbox/simulate/simulate.ts'
import { simulatePaymentDocs } from './docs/simulate.ts'
import { answerOnce } from './idempotency.ts'
import { recordName } from './record-id.ts'
import { forKeys, type Route } from './route.ts'

const path = '/v1/sandbox/payments/:id/simulate'

export const simulateRoutes: readonly Route[] = [
  forKeys(
    'POST',
    { scope: '*', testOnly: true },
    {
      path,
      docs: simulatePaymentDocs,
      body: () =>
        type({ scenario: "'paid' | 'underpaid' | 'overpaid' | 'late' | 'wrong_asset' | 'reverted' | 'reorged'" }),
      handle: (api, { key, ...call }) => {
        const whose = { merchantId: key.merchantId, livemode: key.livemode }
        let transactions: readonly string[] = []
        return answerOnce<Payment>(
          api,
          { ...call, pattern: path, whose },
          {
            // The work is on the chain, not in a commit: the response is stored at the end, and a parallel request is refused.
            work: async () => {
              const payment = await findPayment(api.sql, recordName('pay', { ...call, whose }))
              const found = payment ?? refuse('resource_not_found')
              const idempotencyKey = call.headers.get('idempotency-key')
              const cause = encodeId('key', key.id)
              transactions = await simulate(api, found, { scenario: call.body.scenario, cause, idempotencyKey })
              return found
            },
            answer: () => ({ status: 200, body: { transactions } }),
          },
        )
      },
    },
  ),
]

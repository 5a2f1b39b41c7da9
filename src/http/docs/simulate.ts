import { simulationShape } from '../../records/shapes/simulation.ts'
import type { Docs } from './docs.ts'

/** What every caller must know about the scenarios. */
const scenarios = `Sends real transactions on the sandbox chain, and responds when they are in blocks. The payment then changes as any other payment, with the same events. If the customer has not picked an asset, TUSD is picked, or ETH if the link does not accept TUSD.

- \`paid\`: pays the amount that is due now.
- \`underpaid\`: pays half of it.
- \`overpaid\`: pays one and a half times of it.
- \`late\`: ends the payment window, then pays the amount due. Also possible for a payment that has already expired, failed or been canceled.
- \`wrong_asset\`: pays in ETH instead of TUSD, or in TUSD instead of ETH.
- \`reverted\`: sends a transaction that fails, and submits its hash.
- \`reorged\`: pays the amount due, waits until it is seen, then removes it by a reorganization. Transactions of other senders in these blocks are kept.

Only one scenario of a payment can run at a time. If the server stops during a scenario, some of the transactions may have been sent. A repeated request then works with the amount that is still due.`

const answers = { 200: simulationShape }
const refusals = ['state_conflict', 'unsupported_asset', 'rate_unavailable', 'chain_unavailable'] as const
const example = { scenario: 'paid' }

export const simulatePaymentDocs: Docs = {
  operation: 'simulatePayment',
  summary: 'Simulate a payment',
  description: `${scenarios}

With an \`Idempotency-Key\` the response is stored when it is complete; until then another request with the same key is rejected.`,
  answers,
  refusals,
  example,
}

export const simulatePaymentAsMemberDocs: Docs = {
  operation: 'simulatePayment',
  summary: 'Simulate a payment',
  description: scenarios,
  answers,
  refusals: ['sandbox_only', ...refusals],
  example,
}

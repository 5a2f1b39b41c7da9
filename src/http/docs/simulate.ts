import { simulationShape } from '../../records/shapes/simulation.ts'
import type { Docs } from '../openapi/docs.ts'

export const simulatePayment: Docs = {
  operation: 'simulatePayment',
  summary: 'Act a scenario of a test payment',
  description: `Sends real transactions on the sandbox chain, and answers once they are in blocks: what follows is told by events, as of any payment. One without an asset is to be paid in TUSD from then on.

- \`paid\`: what is due now. \`underpaid\`: half of it. \`overpaid\`: one and a half times as much.
- \`late\`: the window ends now, and then all of it is paid. What has ended already is paid too late as well.
- \`wrong_asset\`: as much in ETH for TUSD, and the reverse.
- \`reverted\`: a transaction that fails; its hash is submitted as a customer would.
- \`reorged\`: all of it is paid, seen, and reorganised away; what others sent in those blocks stays.

Scenarios of one payment exclude each other. With an \`Idempotency-Key\` the answer is kept once it is there; while the first request is under way another one is refused. The work is done on the chain, so a process that dies in the middle has done some of it: sent again, the request acts on what is due by then.`,
  answers: { 200: simulationShape },
  refusals: ['state_conflict', 'unsupported_asset', 'rate_unavailable', 'chain_unavailable'],
  example: { scenario: 'paid' },
}

import { type } from 'arktype'
import { type Task, task } from '../src/workers/task.ts'

/**
 * Runs when a refund is ready to be signed. Signs it if its merchant has a signer. If it cannot be signed now, it is
 * retried by the check of signers (src/signer/signers.ts).
 */
export const signRefundTask = (sign: (refundId: string) => Promise<void>): Task =>
  task(type({ refundId: 'string.uuid' }), async (_services, { refundId }) => sign(refundId))

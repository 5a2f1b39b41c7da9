import { type } from 'arktype'
import { type Task, task } from '../src/workers/task.ts'

/**
 * Asked for whenever a refund is to be signed: signs it where its merchant has a signer. What the chain keeps from
 * being signed now is tried again by whoever looks after the signers (src/signer/keep.ts).
 */
export const signRefundTask = (sign: (refundId: string) => Promise<void>): Task =>
  task(type({ refundId: 'string.uuid' }), async (_world, { refundId }) => sign(refundId))

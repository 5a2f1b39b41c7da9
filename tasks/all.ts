import type { Sender } from '../src/webhooks/sender.ts'
import type { Tasks } from '../src/workers/task.ts'
import { cancelDeliveries } from './cancel-deliveries.ts'
import { judgeEndpointTask } from './judge-endpoint.ts'
import { recoverDeliveriesTask } from './recover-deliveries.ts'
import { sendWebhooks } from './send-webhooks.ts'
import { signRefundTask } from './sign-refund.ts'

/** What some tasks are for, and only the process that they run in has. */
export type Hands = {
  readonly sender: Pick<Sender, 'wake'>
  readonly sign: (refundId: string) => Promise<void>
}

/**
 * Every task, by name. A list by hand, so that tasks are given the world instead of reaching for it.
 * A job whose task is not listed waits for a version that has it.
 */
export const tasksOf = ({ sender, sign }: Hands): Tasks => ({
  'cancel-deliveries': cancelDeliveries,
  'judge-endpoint': judgeEndpointTask,
  'recover-deliveries': recoverDeliveriesTask,
  'send-webhooks': sendWebhooks(sender),
  'sign-refund': signRefundTask(sign),
})

import type { Sender } from '../src/webhooks/sender.ts'
import type { Tasks } from '../src/workers/task.ts'
import { cancelDeliveries } from './cancel-deliveries.ts'
import { cancelPayments } from './cancel-payments.ts'
import { disableFailingEndpoint } from './disable-failing-endpoint.ts'
import { eraseCopiesTask } from './erase-copies.ts'
import { recoverDeliveriesTask } from './recover-deliveries.ts'
import { renewSubscription } from './renew-subscription.ts'
import { runAuditTask } from './run-audit.ts'
import { sendWebhooks } from './send-webhooks.ts'
import { signRefundTask } from './sign-refund.ts'

/** Services of the process that some tasks need. */
export type TaskServices = {
  readonly sender: Pick<Sender, 'wake'>
  readonly sign: (refundId: string) => Promise<void>
  readonly audit: (auditId: string, signal: AbortSignal) => Promise<void>
}

/**
 * All tasks, by name. Listed by hand, so that tasks get their services as parameters. A job whose task is not listed
 * stays in the queue until a process of a version with that task runs it.
 */
export const tasksOf = ({ sender, sign, audit }: TaskServices): Tasks => ({
  'cancel-deliveries': cancelDeliveries,
  'cancel-payments': cancelPayments,
  'disable-failing-endpoint': disableFailingEndpoint,
  'erase-copies': eraseCopiesTask,
  'recover-deliveries': recoverDeliveriesTask,
  'renew-subscription': renewSubscription,
  'run-audit': runAuditTask(audit),
  'send-webhooks': sendWebhooks(sender),
  'sign-refund': signRefundTask(sign),
})

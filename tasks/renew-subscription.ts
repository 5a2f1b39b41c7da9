import { type } from 'arktype'
import { task } from '../src/workers/task.ts'

const payload = type({ subscriptionId: 'string.uuid', invoiceId: 'string.uuid', paidAt: 'string.date.iso' })

/** Runs when an invoice of a subscription was paid. The subscription refuses an invoice that it has recorded already. */
export const renewSubscription = task(payload, async ({ actors }, { subscriptionId, invoiceId, paidAt }) => {
  await actors.dispatch({
    ...{ kind: 'subscription', actor: subscriptionId, id: invoiceId, cause: 'invoice' },
    event: { type: 'invoice_paid', invoiceId, paidAt: new Date(paidAt) },
  })
})

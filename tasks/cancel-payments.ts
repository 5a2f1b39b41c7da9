import { type } from 'arktype'
import { listUnpaidPayments } from '../src/queries/invoice-waits.ts'
import { dispatchPaymentEvent } from '../src/queries/payment-bundles.ts'
import { task } from '../src/workers/task.ts'

const payload = type({ invoiceId: 'string.uuid' })

/**
 * Runs when nothing of an invoice is due any more, and cancels its payments that have received nothing. A payment that has
 * received something since refuses it. Money that arrives later is late money, as of any payment that was canceled.
 */
export const cancelPayments = task(payload, async (services, { invoiceId }) => {
  for (const payment of await listUnpaidPayments(services.sql, invoiceId))
    await dispatchPaymentEvent(services, payment, { type: 'cancel' }, { cause: 'invoice' })
})

import { type } from 'arktype'
import { shape } from '../../fields/shape.ts'

export const inboxReceiptShape = shape({
  name: 'InboxReceipt',
  type: () => type({ received: 'true' }),
  inside: { received: 'Always true.' },
  example: { received: true },
})

import type { Subscription } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { subscriptionRecord } from '../kinds/subscription-record.ts'
import { invoiceLineFields } from './invoice.ts'

const { periodStart: _, periodEnd: __, ...lineFields } = invoiceLineFields

const line = groupOf<Subscription['lines'][number]>()({
  ...lineFields,
  id: { ...lineFields.id, about: 'ID of the line, unique within the subscription.' },
})

/** A subscription as in responses. */
export const subscriptionReadRecord = recordOf<Actor<Subscription>, { readonly url: string | null }>()(
  'SubscriptionWithLines',
  {
    ...subscriptionRecord.fields,
    url: { ...subscriptionRecord.fields.url, of: (_, { url }) => url },
    lines: {
      inside: line.inside,
      type: () => line.type().array(),
      about: 'Lines of the invoice of each period.',
      example: [line.example],
      of: ({ context }) => context.lines.map(each => line.render(each)),
    },
  },
)

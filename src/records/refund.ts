import { type } from 'arktype'
import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import { recordOf } from '../fields/record.ts'
import { type RefundFacts, refundRecord } from '../kinds/refund-record.ts'

/** What a response adds to a refund. */
export type RefundAdditions = RefundFacts & { readonly attention: boolean }

/** A refund as in responses. */
export const refundReadRecord = recordOf<Actor<Refund>, RefundAdditions>()('RefundWithAttention', {
  ...refundRecord.fields,
  attention: {
    type: () => type('boolean'),
    about:
      'Whether the refund needs your attention. The description of `POST /v1/merchants/:merchantId/refunds/:id/resolve` lists the reasons.',
    example: false,
    of: (_, { attention }) => attention,
  },
})

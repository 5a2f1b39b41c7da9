import { type } from 'arktype'
import type { Dispute } from '../../machines/dispute.ts'
import { giveEvidence, openDispute, resolveDispute } from '../commands/disputes.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { disputeReason, disputeRecord, disputeStatus } from '../kinds/dispute.ts'
import { findDispute, listDisputes } from '../queries/disputes.ts'
import { findPayment } from '../queries/payments.ts'
import {
  getDisputeDocs,
  giveEvidenceDocs,
  listDisputesDocs,
  openDisputeDocs,
  resolveDisputeDocs,
} from './docs/disputes.ts'
import { answerIdempotently } from './idempotency.ts'
import { commonFilterOf, listOf, listQuery, placedPage, searchQuery } from './list.ts'
import { recordId, recordKey } from './record-id.ts'
import type { Route } from './route.ts'
import { onCollection, onItem } from './surfaces.ts'
import { shownText } from './text.ts'

const newDispute = () =>
  type({
    reason: disputeReason(),
    'amountMinor?': '1 <= number.integer <= 9007199254740991',
    'description?': shownText(1, 1000).or('null'),
  })

// A field that is not sent does not change; an empty string removes the text.
const newEvidence = () =>
  type({
    'uncategorizedText?': shownText(0, 2000),
    'customerCommunication?': shownText(0, 2000),
    'shippingTrackingNumber?': shownText(0, 2000),
    'refundPolicy?': shownText(0, 2000),
    'submit?': 'boolean',
  })

const resolution = () => type({ outcome: "'won' | 'lost'" })

const filters = () => type({ 'paymentId?': recordId('pay') })

/** Not available to live mode keys. */
const reads = { scope: 'payments:read', testOnly: true } as const
const writes = { scope: 'disputes:write', testOnly: true } as const

export const disputeRoutes: readonly Route[] = [
  ...onItem('POST', writes, {
    path: '/payments/:id/disputes',
    docs: openDisputeDocs,
    body: newDispute,
    handle: (api, call) =>
      answerIdempotently<Dispute>(api, call, {
        work: async responseRows => {
          const id = decodeId('pay', call.params.id) ?? refuse('resource_not_found')
          const payment = (await findPayment(api.sql, { ...call.owner, id })) ?? refuse('resource_not_found')
          // A member can find payments of both modes.
          if (payment.context.livemode) refuse('sandbox_only')
          const { reason, amountMinor, description = null } = call.body
          return openDispute(api, payment, { reason, amountMinor, description }, { cause: call.cause, responseRows })
        },
        answer: dispute => ({ status: 201, body: disputeRecord.render(dispute) }),
      }),
  }),

  ...onCollection('GET', reads, {
    path: '/disputes',
    docs: listDisputesDocs,
    query: () => listQuery().merge(searchQuery(disputeStatus)).merge(filters()),
    handle: async ({ sql }, { owner, query }) => {
      const { paymentId, limit } = query
      const page = await placedPage(sql, 'dispute', owner, query)
      const disputes = await listDisputes(sql, owner, { ...commonFilterOf(query), paymentId }, page)
      return { status: 200, body: listOf(disputes, limit, disputeRecord.render) }
    },
  }),

  ...onItem('GET', reads, {
    path: '/disputes/:id',
    docs: getDisputeDocs,
    handle: async ({ sql }, call) => {
      const dispute = await findDispute(sql, recordKey('dp', call))
      return { status: 200, body: disputeRecord.render(dispute ?? refuse('resource_not_found')) }
    },
  }),

  ...onItem('POST', writes, {
    path: '/disputes/:id/evidence',
    docs: giveEvidenceDocs,
    body: newEvidence,
    handle: (api, call) =>
      answerIdempotently<Dispute>(api, call, {
        work: responseRows => {
          const { submit = false, ...evidence } = call.body
          return giveEvidence(api, recordKey('dp', call), { evidence, submit }, { cause: call.cause, responseRows })
        },
        answer: dispute => ({ status: 200, body: disputeRecord.render(dispute) }),
      }),
  }),

  ...onItem('POST', writes, {
    path: '/disputes/:id/resolve',
    docs: resolveDisputeDocs,
    body: resolution,
    handle: (api, call) =>
      answerIdempotently<Dispute>(api, call, {
        work: responseRows =>
          resolveDispute(api, recordKey('dp', call), call.body.outcome, { cause: call.cause, responseRows }),
        answer: dispute => ({ status: 200, body: disputeRecord.render(dispute) }),
      }),
  }),
]

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
import { answerOnce } from './idempotency.ts'
import { listOf, listQuery, placedPage } from './list.ts'
import { recordId, recordName } from './record-id.ts'
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

const filters = () =>
  type({
    'status?': disputeStatus(),
    'paymentId?': recordId('pay'),
  })

/** Not available to live mode keys. */
const reads = { scope: 'payments:read', testOnly: true } as const
const writes = { scope: 'disputes:write', testOnly: true } as const

export const disputeRoutes: readonly Route[] = [
  ...onItem('POST', writes, {
    path: '/payments/:id/disputes',
    docs: openDisputeDocs,
    body: newDispute,
    handle: (api, call) =>
      answerOnce<Dispute>(api, call, {
        work: async keep => {
          const id = decodeId('pay', call.params.id) ?? refuse('resource_not_found')
          const payment = (await findPayment(api.sql, { ...call.whose, id })) ?? refuse('resource_not_found')
          // A member can find payments of both modes.
          if (payment.context.livemode) refuse('sandbox_only')
          const { reason, amountMinor, description = null } = call.body
          return openDispute(api, payment, { reason, amountMinor, description }, { cause: call.cause, keep })
        },
        answer: dispute => ({ status: 201, body: disputeRecord.render(dispute) }),
      }),
  }),

  ...onCollection('GET', reads, {
    path: '/disputes',
    docs: listDisputesDocs,
    query: () => listQuery().merge(filters()),
    handle: async ({ sql }, { whose, query }) => {
      const { status, paymentId, limit } = query
      const page = await placedPage(sql, 'dispute', whose, query)
      const disputes = await listDisputes(sql, whose, { status, paymentId }, page)
      return { status: 200, body: listOf(disputes, limit, disputeRecord.render) }
    },
  }),

  ...onItem('GET', reads, {
    path: '/disputes/:id',
    docs: getDisputeDocs,
    handle: async ({ sql }, call) => {
      const dispute = await findDispute(sql, recordName('dp', call))
      return { status: 200, body: disputeRecord.render(dispute ?? refuse('resource_not_found')) }
    },
  }),

  ...onItem('POST', writes, {
    path: '/disputes/:id/evidence',
    docs: giveEvidenceDocs,
    body: newEvidence,
    handle: (api, call) =>
      answerOnce<Dispute>(api, call, {
        work: keep => {
          const { submit = false, ...evidence } = call.body
          return giveEvidence(api, recordName('dp', call), { evidence, submit }, { cause: call.cause, keep })
        },
        answer: dispute => ({ status: 200, body: disputeRecord.render(dispute) }),
      }),
  }),

  ...onItem('POST', writes, {
    path: '/disputes/:id/resolve',
    docs: resolveDisputeDocs,
    body: resolution,
    handle: (api, call) =>
      answerOnce<Dispute>(api, call, {
        work: keep => resolveDispute(api, recordName('dp', call), call.body.outcome, { cause: call.cause, keep }),
        answer: dispute => ({ status: 200, body: disputeRecord.render(dispute) }),
      }),
  }),
]

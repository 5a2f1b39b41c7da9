import { type } from 'arktype'
import type { Refund } from '../../machines/refund.ts'
import { chainIdsOf } from '../chain/enabled/connect.ts'
import { judgeRefund } from '../commands/refund-judgements.ts'
import { cancelRefund, dismissRefund, startRefund } from '../commands/refunds.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { refundReason, refundStatus } from '../kinds/refund-record.ts'
import { findPayment } from '../queries/payments.ts'
import { findRefund, listRefunds, type RefundFilter } from '../queries/refunds.ts'
import { refundReadRecord } from '../records/refund.ts'
import type { Api } from './api.ts'
import { causeOfMember } from './causes.ts'
import { cancelRefundDocs, getRefundDocs, listRefundsDocs, resolveRefundDocs, startRefundDocs } from './docs/refunds.ts'
import { answerIdempotently } from './idempotency.ts'
import { commonFilterOf, listOf, listQuery, placedPage, searchQuery } from './list.ts'
import { metadata } from './metadata.ts'
import { attentionFilter } from './payments.ts'
import { recordId, recordKey } from './record-id.ts'
import { asAnswered, isSigned, readRefundFor, refundFactsFor, unsignedOf } from './refund-facts.ts'
import { forMembers, type Parsed, type Route } from './route.ts'
import { onCollection, onItem } from './surfaces.ts'

const newRefund = () =>
  type({
    // A missing amount means the whole remaining amount, so null is refused: it may be a mistake.
    'amountMinor?': '1 <= number.integer <= 9007199254740991',
    'reason?': refundReason().or('null'),
    'destination?': 'string | null',
    'metadata?': metadata(),
  })

/** Exports have the filters of the list too. */
export const refundFilters = () => searchQuery(refundStatus).merge({ 'paymentId?': recordId('pay') })

export const refundFilterOf = (
  { chains }: Pick<Api, 'chains'>,
  query: Parsed<typeof refundFilters> & { readonly attention?: 'true' },
): RefundFilter => ({
  ...commonFilterOf(query),
  paymentId: query.paymentId,
  attention: query.attention === undefined ? undefined : { chainsOn: chainIdsOf(chains) },
})

export const refundRoutes: readonly Route[] = [
  ...onItem(
    'POST',
    { scope: 'refunds:write' },
    {
      path: '/payments/:id/refunds',
      docs: startRefundDocs,
      body: newRefund,
      handle: async (api, call) => {
        const id = decodeId('pay', call.params.id)
        const payment = id && (await findPayment(api.sql, { ...call.owner, id }))
        // The request of a member has no mode: the mode of the payment is used, or test mode if there is no payment.
        const livemode = call.owner.livemode ?? (payment ? payment.context.livemode : false)
        const hasSigner = payment !== undefined && payment !== '' && (await isSigned(api, payment.context))
        return answerIdempotently<Refund>(
          api,
          { ...call, owner: { ...call.owner, livemode } },
          {
            isRefund: true,
            work: responseRows => {
              if (!payment) return refuse('resource_not_found')
              const { amountMinor, reason = null, destination = null, metadata = {} } = call.body
              return startRefund(
                api,
                payment,
                { amountMinor, reason, destination, metadata },
                { cause: call.cause, responseRows },
              )
            },
            answer: refund => ({
              status: 201,
              body: refundReadRecord.render(refund, {
                unsignedTransaction: hasSigner ? null : unsignedOf(refund),
                // Of a new refund, this is the only reason.
                attention: api.chains.find(refund.context.chainId) === undefined,
              }),
            }),
            reveal: body => asAnswered(api, body),
          },
        )
      },
    },
  ),

  ...onCollection(
    'GET',
    { scope: 'payments:read' },
    {
      path: '/refunds',
      docs: listRefundsDocs,
      query: () => listQuery().merge(refundFilters()),
      membersQuery: attentionFilter,
      handle: async (api, call) => {
        const { sql } = api
        const { owner, query } = call
        const page = await placedPage(sql, 'refund', owner, query)
        const refunds = await listRefunds(sql, owner, refundFilterOf(api, query), page)
        const factsOf = await refundFactsFor(api, call, refunds)
        return {
          status: 200,
          body: listOf(refunds, query.limit, refund => refundReadRecord.render(refund, factsOf(refund))),
        }
      },
    },
  ),

  ...onItem(
    'GET',
    { scope: 'payments:read' },
    {
      path: '/refunds/:id',
      docs: getRefundDocs,
      handle: async (api, call) => {
        const refund = (await findRefund(api.sql, recordKey('re', call))) ?? refuse('resource_not_found')
        return { status: 200, body: await readRefundFor(api, call, refund) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: '/v1/merchants/:merchantId/refunds/:id/cancel',
      docs: cancelRefundDocs,
      handle: async (api, { params, member, ...call }) => {
        const name = recordKey('re', { params, owner: { merchantId: member.merchantId, livemode: undefined } })
        const refund = await cancelRefund(api, name, causeOfMember(call))
        return { status: 200, body: await readRefundFor(api, { member }, refund) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: '/v1/merchants/:merchantId/refunds/:id/resolve',
      docs: resolveRefundDocs,
      body: () => type({ action: "'dismiss' | 'accept' | 'fail'" }),
      handle: async (api, { params, body: { action }, member, ...call }) => {
        const name = recordKey('re', { params, owner: { merchantId: member.merchantId, livemode: undefined } })
        const cause = causeOfMember(call)
        const refund =
          action === 'dismiss' ? await dismissRefund(api, name, cause) : await judgeRefund(api, name, { action, cause })
        return { status: 200, body: await readRefundFor(api, { member }, refund) }
      },
    },
  ),
]

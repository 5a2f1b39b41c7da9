import { type } from 'arktype'
import type { Payment } from '../../machines/payment-events.ts'
import type { SessionCaller } from '../access/session-cache.ts'
import type { Actor } from '../actors/kind.ts'
import { cancelPayment, resolvePayment } from '../commands/payments.ts'
import { receiptUrlOf } from '../commands/receipts.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { paymentStatus } from '../kinds/payment-record.ts'
import { findMerchantsPayment, listPayments, type MerchantsPayment, type PaymentFilter } from '../queries/payments.ts'
import { cryptoFactsOf } from '../records/crypto-facts.ts'
import { paymentReadRecord } from '../records/payment.ts'
import type { Api } from './api.ts'
import { causeOfMember } from './causes.ts'
import { cancelPaymentDocs, getPaymentDocs, listPaymentsDocs, resolvePaymentDocs } from './docs/payments.ts'
import { commonFilterOf, listOf, listQuery, placedPage, searchQuery } from './list.ts'
import { recordId } from './record-id.ts'
import { type Answer, forMembers, type MemberCaller, type Parsed, type Route } from './route.ts'
import { onCollection, onItem } from './surfaces.ts'
import { boundedText } from './text.ts'

/** Exports have the filters of the list too. */
export const paymentFilters = () =>
  searchQuery(paymentStatus).merge({
    'paymentLinkId?': recordId('plink'),
    'reference?': boundedText(1, 200),
    'customerId?': recordId('cus'),
  })

/** Only members can filter for records that need attention. */
export const attentionFilter = () => type({ 'attention?': "'true'" })

export const paymentFilterOf = (
  query: Parsed<typeof paymentFilters> & { readonly attention?: 'true' },
): PaymentFilter => ({
  ...commonFilterOf(query),
  paymentLinkId: query.paymentLinkId,
  reference: query.reference,
  customerId: query.customerId,
  attention: query.attention !== undefined,
})

export const paymentRoutes: readonly Route[] = [
  ...onCollection(
    'GET',
    { scope: 'payments:read' },
    {
      path: '/payments',
      docs: listPaymentsDocs,
      query: () => listQuery().merge(paymentFilters()),
      membersQuery: attentionFilter,
      handle: async (api, call) => {
        const { owner, query } = call
        const page = await placedPage(api.sql, 'payment', owner, query)
        const payments = await listPayments(api.sql, owner, paymentFilterOf(query), page)
        return { status: 200, body: listOf(payments, query.limit, paymentRecordIn(api, call)) }
      },
    },
  ),

  ...onItem(
    'GET',
    { scope: 'payments:read' },
    {
      path: '/payments/:id',
      docs: getPaymentDocs,
      handle: async (api, call) => {
        const found = await findMerchantsPayment(api.sql, { ...call.owner, id: idIn(call.params) })
        return { status: 200, body: paymentRecordIn(api, call)(found ?? refuse('resource_not_found')) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: '/v1/merchants/:merchantId/payments/:id/cancel',
      docs: cancelPaymentDocs,
      handle: async (api, call) => changed(api, call, await cancelPayment(api, nameOf(call), by(call))),
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: '/v1/merchants/:merchantId/payments/:id/resolve',
      docs: resolvePaymentDocs,
      body: () => type({ action: "'accept' | 'dismiss'" }),
      handle: async (api, call) =>
        changed(api, call, await resolvePayment(api, nameOf(call), call.body.action, by(call))),
    },
  ),
]

/** In lists too: an object is the same in every response. Only events, which never change, have no `crypto`. */
export const paymentRecordIn =
  ({ chains, keyring, settings }: Api, { member }: Reader) =>
  ({ payment, shown, invoiceNumber }: MerchantsPayment) =>
    paymentReadRecord.render(payment, {
      facts: cryptoFactsOf(payment.context, shown, chains),
      invoiceNumber,
      receiptUrl: member?.role === 'viewer' ? null : receiptUrlOf(settings.publicUrl, keyring, payment.id),
    })

/** Without a member: an API key. */
type Reader = { readonly member?: MemberCaller }

/** The payment as the command has left it, with the current facts of its chain. */
const changed = async (api: Api, call: ItemCall, payment: Actor<Payment>): Promise<Answer> => {
  const { shown, invoiceNumber } = (await findMerchantsPayment(api.sql, nameOf(call))) ?? refuse('resource_not_found')
  return { status: 200, body: paymentRecordIn(api, call)({ payment, shown, invoiceNumber }) }
}

const idIn = ({ id }: { readonly id: string }): string => decodeId('pay', id) ?? refuse('resource_not_found')

type ItemCall = {
  readonly params: { readonly id: string }
  readonly member: MemberCaller
  readonly session: SessionCaller
  readonly requestId: string
}

/** Members can find a payment by its ID in either mode. */
const nameOf = ({ params, member }: ItemCall) => ({
  id: idIn(params),
  merchantId: member.merchantId,
  livemode: undefined,
})

const by = (call: ItemCall) => ({ cause: causeOfMember(call) })

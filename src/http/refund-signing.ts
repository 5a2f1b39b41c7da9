import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import { isTransactionUnknown } from '../chain/refunds/unknown-transaction.ts'
import { transferUri } from '../chain/transfer-uri.ts'
import { retryRefund } from '../commands/refund-transactions.ts'
import { refuseStateOf } from '../commands/state-conflicts.ts'
import { refuse } from '../errors.ts'
import { qrCode } from '../pages/qr.ts'
import { findRefund } from '../queries/refunds.ts'
import { causeOfMember } from './causes.ts'
import { readPaymentUriDocs, retryRefundDocs } from './docs/refund-signing.ts'
import { recordKey } from './record-id.ts'
import { readRefundFor } from './refund-facts.ts'
import { forMembers, type Route } from './route.ts'

const path = '/v1/merchants/:merchantId/refunds/:id'

/** Endpoints for members who sign refunds manually. */
export const refundSigningRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'developer' },
    {
      path: `${path}/payment-uri`,
      docs: readPaymentUriDocs,
      handle: async (api, { params, member }) => {
        const name = recordKey('re', { params, owner: { merchantId: member.merchantId, livemode: undefined } })
        const refund = (await findRefund(api.sql, name)) ?? refuse('resource_not_found')
        const { unsignedTransaction } = await readRefundFor(api, { member }, refund)
        const { chainId, tokenAddress, destination, amount } = refund.context
        // A refund that a signer can sign must not be paid manually too.
        if (unsignedTransaction === null || destination === null) return refuseStateOf(refund)
        const paymentUri = transferUri({ chainId, tokenAddress, to: destination, amount })
        const qr = qrCode(paymentUri, 'QR code of the link that pays the refund')
        return { status: 200, body: { object: 'payment_uri', paymentUri, qrCode: qr } }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: `${path}/retry`,
      docs: retryRefundDocs,
      handle: async (api, { params, member, ...call }) => {
        const name = recordKey('re', { params, owner: { merchantId: member.merchantId, livemode: undefined } })
        const isGone = (refund: Actor<Refund>) => isTransactionUnknown(api, refund)
        const refund = await retryRefund(api, name, causeOfMember(call), isGone)
        return { status: 200, body: await readRefundFor(api, { member }, refund) }
      },
    },
  ),
]

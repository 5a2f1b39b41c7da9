import { type } from 'arktype'
import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import { isTransactionUnknown } from '../chain/refunds/unknown-transaction.ts'
import { nameTransaction } from '../commands/refund-transactions.ts'
import { causeOfMember } from './causes.ts'
import { nameTransactionDocs } from './docs/refund-transactions.ts'
import { recordKey } from './record-id.ts'
import { readRefundFor } from './refund-facts.ts'
import { forMembers, type Route } from './route.ts'

const sent = () => type({ txHash: /^0x[0-9a-fA-F]{64}$/ })

export const refundTransactionRoutes: readonly Route[] = [
  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: '/v1/merchants/:merchantId/refunds/:id/transaction',
      docs: nameTransactionDocs,
      body: sent,
      handle: async (api, { params, body, member, ...call }) => {
        const name = recordKey('re', { params, owner: { merchantId: member.merchantId, livemode: undefined } })
        const cause = causeOfMember(call)
        const isGone = (refund: Actor<Refund>) => isTransactionUnknown(api, refund)
        const refund = await nameTransaction(api, name, { txHash: body.txHash, cause, isGone })
        return { status: 200, body: await readRefundFor(api, { member }, refund) }
      },
    },
  ),
]

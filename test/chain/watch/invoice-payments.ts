import { expect } from 'bun:test'
import { uuidv7 } from '../../../src/ids.ts'
import type { ListOwner } from '../../../src/queries/list-rows.ts'
import type { ApiServer } from '../../harness/api.ts'
import { paymentOpening, payments } from '../../machines/payment-cases.ts'
import { issueAddress } from './ledger.ts'

type Paid = ListOwner & {
  readonly invoiceId: string
  readonly paymentLinkId: string
  readonly token: string
  readonly count: number
}

/** Opens payments over 1,000 for an invoice, each with its deposit address. */
export const openInvoicePayments = (
  { api, sql }: ApiServer,
  { merchantId, livemode, invoiceId, paymentLinkId, token, count }: Paid,
): Promise<readonly { readonly actor: string; readonly address: string }[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const actor = uuidv7(new Date(), api.random)
      const address = `0x${actor.replaceAll('-', '').padStart(40, '0')}`
      const create = { ...paymentOpening, merchantId, livemode, paymentLinkId, invoiceId, windowMinutes: 30 }
      const pick = { ...payments.events.pick, type: 'asset_picked', address, tokenAddress: token }
      const outcome = await api.actors.dispatchBundle([
        { kind: 'payment_link', actor: paymentLinkId, event: { type: 'open_payment' } },
        { kind: 'payment', actor, create },
        { kind: 'payment', actor, event: pick },
      ])
      expect(outcome.ok).toBe(true)
      await issueAddress(sql, { actor, address })
      return { actor, address }
    }),
  )

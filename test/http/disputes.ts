import { giveEvidence, openDispute } from '../../src/commands/disputes.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId } from '../../src/ids.ts'
import { findPayment } from '../../src/queries/payments.ts'
import { paid } from './payments.ts'

/** A dispute over ten dollars. */
export const makeDispute = async (
  api: Api,
  { merchantId }: { readonly merchantId: string },
  { submit }: { readonly submit: boolean },
): Promise<string> => {
  const livemode = false
  const { actor: paymentId } = await paid(api, { merchantId, livemode })
  const payment = await findPayment(api.sql, { id: paymentId, merchantId, livemode })
  if (!payment) throw new Error('no payment was made')
  const by = { cause: 'test', responseRows: () => [] }
  const { id } = await openDispute(api, payment, { reason: 'general', amountMinor: undefined, description: null }, by)
  if (submit) await giveEvidence(api, { id, merchantId, livemode }, { evidence: {}, submit }, by)
  return encodeId('dp', id)
}

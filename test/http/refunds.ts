import { startRefund } from '../../src/commands/refunds.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId } from '../../src/ids.ts'
import { findPayment } from '../../src/queries/payments.ts'
import type { Whose } from '../../src/queries/places.ts'
import { paid } from './paid.ts'

/** A refund of ten dollars, and its customer is still to say where to. */
export const makeRefund = async (api: Api, { merchantId, livemode }: Whose): Promise<string> => {
  const { id } = await paid(api, { merchantId, livemode })
  const payment = await findPayment(api.sql, { id, merchantId, livemode })
  if (!payment) throw new Error('no payment was made')
  const request = { amountMinor: undefined, reason: null, destination: null, metadata: {} }
  return encodeId('re', (await startRefund(api, payment, request, { cause: 'test', keep: () => [] })).id)
}

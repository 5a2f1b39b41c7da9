import { createPaymentLink } from '../../src/commands/payment-links.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId } from '../../src/ids.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'

/** A link over ten dollars with no limit of payments or time. */
export const makeLink = async (api: Api, { merchantId, livemode }: ListOwner, more: object = {}) => {
  const opening = { ...paymentLinkOpening, merchantId, livemode, reference: null, maxPayments: null, expiresAt: null }
  const link = await createPaymentLink(api, { ...opening, ...more }, { cause: 'test', responseRows: () => [] })
  return { link, id: encodeId('plink', link.id) }
}

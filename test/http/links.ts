import { createHiddenLink, createPaymentLink } from '../../src/commands/payment-links.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId, uuidv7 } from '../../src/ids.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'

/** A link over ten dollars with no limit of payments or time. */
export const makeLink = async (api: Api, { merchantId, livemode }: ListOwner, more: object = {}) => {
  const opening = { ...paymentLinkOpening, merchantId, livemode, reference: null, maxPayments: null, expiresAt: null }
  const link = await createPaymentLink(api, { ...opening, ...more }, { cause: 'test', responseRows: () => [] })
  return { link, id: encodeId('plink', link.id) }
}

/** The link of an invoice over ten dollars. */
export const makeHiddenLink = async (api: Api, { merchantId, livemode }: ListOwner) => {
  const id = uuidv7(api.clock.now(), api.random)
  const due = { merchantId, livemode, amountMinor: 1000, currency: 'USD', assets: null }
  const outcome = await api.actors.dispatch(createHiddenLink(id, due, 'test'))
  if (!outcome.ok) throw new Error(`the link was refused: ${outcome.refusal}`)
  return { actor: id, id: encodeId('plink', id) }
}

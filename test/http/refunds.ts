import { expect } from 'bun:test'
import { type } from 'arktype'
import { startRefund } from '../../src/commands/refunds.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId } from '../../src/ids.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { findPayment } from '../../src/queries/payments.ts'
import { paid } from './payments.ts'
import { type Asked, newKey, type TwoShops } from './two-shops.ts'

/** A refund of ten dollars; without a destination, the customer has to give one. */
export const makeRefund = async (
  api: Api,
  whose: ListOwner,
  destination: string | null = null,
  opening: object = {},
): Promise<string> => {
  const { merchantId, livemode } = whose
  const { actor: id } = await paid(api, whose, 1000n, { opening })
  const payment = await findPayment(api.sql, { id, merchantId, livemode })
  if (!payment) throw new Error('no payment was made')
  const request = { amountMinor: undefined, reason: null, destination, metadata: {} }
  return encodeId('re', (await startRefund(api, payment, request, { cause: 'test', responseRows: () => [] })).id)
}

export const refund = type({
  '+': 'reject',
  object: "'refund'",
  id: '/^re_[0-9a-z]{26}$/',
  paymentId: '/^pay_[0-9a-z]{26}$/',
  merchantId: '/^mer_[0-9a-z]{26}$/',
  creditNoteId: 'null',
  amountMinor: 'number.integer',
  currency: "'USD'",
  status: "'requires_destination' | 'requires_signature' | 'processing' | 'processed' | 'failed' | 'canceled'",
  reason: 'string | null',
  failureReason: 'string | null',
  destination: '/^0x[0-9a-fA-F]{40}$/ | null',
  claimUrl: '/^https?:\\/\\/[^\\/]+\\/claims\\/[\\w-]{43}$/ | null',
  crypto: type({
    '+': 'reject',
    chainId: 'number.integer',
    asset: 'string',
    tokenAddress: 'string | null',
    amount: '/^\\d+$/',
    txHash: 'string | null',
    confirmations: 'number.integer',
  }),
  attention: 'boolean',
  unsignedTransaction: type({
    '+': 'reject',
    chainId: 'number.integer',
    to: '/^0x[0-9a-fA-F]{40}$/',
    data: '/^0x([0-9a-f]{2})*$/',
    value: '/^\\d+$/',
  }).or('null'),
  metadata: { '[string]': 'string' },
  livemode: 'boolean',
  createdAt: 'string',
  updatedAt: 'string',
})

/** Requests about refunds, with the key of `lamps` by default. */
export const refundCalls = ({ server, lamps, ask, page }: TwoShops) => {
  const start = (paymentId: string, json: object = {}, asked: Asked = {}) =>
    ask('POST', `/payments/${paymentId}/refunds`, { headers: newKey(), ...asked, json })
  const made = async (paymentId: string, json: object = {}, asked: Asked = {}) => {
    const answer = await start(paymentId, json, asked)
    expect(answer).toMatchObject({ status: 201, error: undefined })
    return refund.assert(answer.json)
  }
  const read = (id: string, asked?: Asked) => ask('GET', `/refunds/${id}`, asked)
  const list = (query = '', asked?: Asked) => page<typeof refund.infer>(`/refunds${query}`, asked)
  /** Of a payment, by its id in the database. */
  const booksOf = async (payment: string) => {
    const [row] = await server.sql`
      select refunds_reserved_minor::int as reserved,
        (select count(*)::int from refunds where payment_id = p.id) as refunds
      from payments p where id = ${payment}`
    return row
  }
  const ofLamps = { ...lamps, livemode: false }
  const paidHere = (received = 1000n, more = {}) => paid(server.api, ofLamps, received, more)
  return { start, made, read, list, booksOf, ofLamps, paidHere }
}

export const customerAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

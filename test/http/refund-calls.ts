import { expect } from 'bun:test'
import { type } from 'arktype'
import { refundRoutes } from '../../src/http/refunds.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiHouse, apiHouse } from '../harness/api.ts'
import { type Shop, shop } from './people.ts'

export type RefundHouse = {
  readonly to: ApiHouse
  readonly lamps: Shop
  readonly chairs: Shop
  /** Of the lamps in test mode, in live mode, and of the chairs. */
  readonly key: string
  readonly liveKey: string
  readonly chairsKey: string
}

export const refundHouse = async (): Promise<RefundHouse> => {
  const to = await apiHouse({ routes: refundRoutes, env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' } })
  const lamps = await shop(to.api)
  const chairs = await shop(to.api, 'Chairs')
  return {
    to,
    lamps,
    chairs,
    key: (await insertKey(to.sql, lamps)).secret,
    liveKey: (await insertKey(to.sql, { ...lamps, livemode: true })).secret,
    chairsKey: (await insertKey(to.sql, chairs)).secret,
  }
}

export const refund = type({
  '+': 'reject',
  object: "'refund'",
  id: '/^re_[0-9a-z]{26}$/',
  paymentId: '/^pay_[0-9a-z]{26}$/',
  merchantId: '/^mer_[0-9a-z]{26}$/',
  amountMinor: 'number.integer',
  currency: "'USD'",
  status: "'requires_destination' | 'requires_signature' | 'processing' | 'processed' | 'failed' | 'canceled'",
  reason: 'string | null',
  failureReason: 'string | null',
  destination: '/^0x[0-9a-fA-F]{40}$/ | null',
  claimUrl: 'null',
  crypto: type({
    '+': 'reject',
    chainId: 'number.integer',
    asset: 'string',
    tokenAddress: 'string | null',
    amount: '/^\\d+$/',
    txHash: 'string | null',
    confirmations: 'number.integer',
  }),
  unsignedTransaction: 'null',
  metadata: { '[string]': 'string' },
  livemode: 'boolean',
  createdAt: 'string',
  updatedAt: 'string',
})

export type Asked = {
  readonly json?: object
  readonly bearer?: string
  readonly path?: string
  readonly headers?: Record<string, string>
}

export const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })

/** What is asked of refunds, by the lamps' key unless told otherwise. */
export const refundCalls = (house: () => RefundHouse) => {
  const ask = async (method: string, path: string, { json, bearer, path: at = '/v1', headers = {} }: Asked = {}) => {
    const { to, key } = house()
    const answer = await to.call(method, `${at}${path}`, { json, bearer: bearer ?? key, headers })
    const { error } = answer.json as { error?: { code: string; param?: string; details?: object } }
    return { status: answer.status, error, text: answer.text, json: answer.json, headers: answer.headers }
  }
  const start = (paymentId: string, json: object = {}, asked: Asked = {}) =>
    ask('POST', `/payments/${paymentId}/refunds`, { headers: newKey(), ...asked, json })
  const made = async (paymentId: string, json: object = {}, asked: Asked = {}) => {
    const answer = await start(paymentId, json, asked)
    expect(answer).toMatchObject({ status: 201, error: undefined })
    return refund.assert(answer.json)
  }
  const read = (id: string, asked: Asked = {}) => ask('GET', `/refunds/${id}`, asked)
  const list = async (query = '', asked: Asked = {}) => {
    const { json, ...answer } = await ask('GET', `/refunds${query}`, asked)
    return { ...answer, ...(json as { data: (typeof refund.infer)[]; has_more: boolean }) }
  }
  const booksOf = async (paymentId: string) => {
    const [row] = await house().to.sql`
      select refunds_reserved_minor::int as reserved,
        (select count(*)::int from refunds where payment_id = p.id) as refunds
      from payments p where id = ${paymentId}`
    return row
  }
  return { ask, start, made, read, list, booksOf }
}

export const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id)

export const somebody = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

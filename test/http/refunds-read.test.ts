import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { insertKey } from '../access/keys.ts'
import type { ApiHouse } from '../harness/api.ts'
import { paid } from './paid.ts'
import { type Shop, shop } from './people.ts'
import { idsOf, type RefundHouse, refund, refundCalls, refundHouse, somebody } from './refund-calls.ts'

let house: RefundHouse
let to: ApiHouse
let lamps: Shop
let liveKey: string
let chairsKey: string

beforeAll(async () => {
  house = await refundHouse()
  ;({ to, lamps, liveKey, chairsKey } = house)
})
afterAll(async () => {
  expect(await audit(to.sql, kinds)).toEqual([])
  await to[Symbol.asyncDispose]()
})

const { made, read, list } = refundCalls(() => house)
const ofLamps = () => ({ ...lamps, livemode: false })
const paidHere = async (received = 1000n, more = {}) => paid(to.api, ofLamps(), received, more)

describe('GET /v1/refunds/:id', () => {
  test('200 for whoever has it, 404 with the same words for all others', async () => {
    const { id } = await made((await paidHere()).wireId)
    const { wireId: live } = await paid(to.api, { ...lamps, livemode: true })
    const { id: liveId } = await made(live, {}, { bearer: liveKey })
    expect((await read(id)).status).toBe(200)
    for (const one of [liveId, 're_1', id.toUpperCase(), id.replace('re_', 'pay_')])
      expect(await read(one)).toMatchObject({ status: 404, error: { code: 'resource_not_found' } })
    expect((await read(id, { bearer: chairsKey })).status).toBe(404)
    expect((await read(id, { bearer: liveKey })).status).toBe(404)
  })
})

describe('GET /v1/refunds', () => {
  test('200: newest first by pages, oldest first, by state and by payment, and each mode its own', async () => {
    const here = await shop(to.api, 'Rugs')
    const bearer = (await insertKey(to.sql, here)).secret
    const [one, two] = [
      await paid(to.api, { ...here, livemode: false }),
      await paid(to.api, { ...here, livemode: false }),
    ]
    const ids: string[] = []
    for (const { wireId } of [one, two, one, two, one]) {
      const destination = ids.length === 1 ? { destination: somebody } : {}
      ids.push((await made(wireId, { amountMinor: 10, ...destination }, { bearer })).id)
    }
    const newest = ids.toReversed()
    const all = await list('', { bearer })
    expect([all.has_more, idsOf(all)]).toEqual([false, newest])
    for (const each of all.data) refund.assert(each)
    const first = await list('?limit=2', { bearer })
    expect([first.has_more, idsOf(first)]).toEqual([true, newest.slice(0, 2)])
    const second = await list(`?limit=3&startingAfter=${newest[1]}`, { bearer })
    expect([second.has_more, idsOf(second)]).toEqual([false, newest.slice(2)])
    expect(idsOf(await list(`?order=asc&startingAfter=${ids[2]}`, { bearer }))).toEqual(ids.slice(3))
    expect(idsOf(await list('?status=requires_signature', { bearer }))).toEqual([ids[1] ?? ''])
    expect(idsOf(await list(`?paymentId=${two.wireId}`, { bearer }))).toEqual([ids[3] ?? '', ids[1] ?? ''])
    expect(idsOf(await list(`?paymentId=${one.wireId}&order=asc&limit=1`, { bearer }))).toEqual([ids[0] ?? ''])
    const { wireId: foreign } = await paidHere()
    await made(foreign)
    for (const none of [foreign, encodeId('pay', crypto.randomUUID())])
      expect((await list(`?paymentId=${none}`, { bearer })).data).toEqual([])
    const live = (await insertKey(to.sql, { ...here, livemode: true })).secret
    expect((await list('', { bearer: live })).data).toEqual([])
  })

  test('200: who has just started a refund sees it first', async () => {
    const { wireId } = await paidHere()
    for (let n = 0; n < 20; n++) {
      const { id } = await made(wireId, { amountMinor: 1 })
      expect(idsOf(await list('?limit=1'))).toEqual([id])
    }
  })

  test.each([
    ['status=done', 'parameter_invalid', 'status'],
    ['paymentId=', 'parameter_invalid', 'paymentId'],
    ['paymentId=re_1', 'parameter_invalid', 'paymentId'],
    ['livemode=true', 'parameter_unknown', 'livemode'],
    ['reference=1', 'parameter_unknown', 'reference'],
    ['limit=101', 'parameter_invalid', 'limit'],
    ['startingAfter=re_1', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=re_01m7ygh5qmfvg9bxgmmwc0qqnf', 'invalid_cursor', 'startingAfter'],
  ])('400: %s', async (query, code, param) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, error: { code, param } })
  })

  test('400: a cursor of another merchant or of the other mode is none', async () => {
    const { id } = await made((await paidHere()).wireId)
    for (const bearer of [chairsKey, liveKey])
      expect(await list(`?startingAfter=${id}`, { bearer })).toMatchObject({
        status: 400,
        error: { code: 'invalid_cursor' },
      })
  })
})

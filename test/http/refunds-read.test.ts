import { describe, expect, test } from 'bun:test'
import { refundRoutes } from '../../src/http/refunds.ts'
import { encodeId } from '../../src/ids.ts'
import { insertKey } from '../access/keys.ts'
import { expectNoCursors, expectPages, idsOf, refusedSearches, testRefusedQueries } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { paid } from './payments.ts'
import { shop } from './people.ts'
import { customerAddress, refund, refundCalls } from './refunds.ts'
import { twoShops } from './two-shops.ts'

const shops = await twoShops({ routes: refundRoutes })
const { server, lamps, chairs, liveKey, chairsKey } = shops
const { made, read, list, paidHere } = refundCalls(shops)

describe('GET /v1/refunds/:id', () => {
  test('200 for the owner of the key, 404 with the same text for all others', async () => {
    const { id } = await made((await paidHere()).id)
    const { id: live } = await paid(server.api, { ...lamps, livemode: true })
    const { id: liveId } = await made(live, {}, { bearer: liveKey })
    const { id: foreign } = await paid(server.api, { ...chairs, livemode: false })
    const { id: foreignId } = await made(foreign, {}, { bearer: chairsKey })
    expect((await read(id)).status).toBe(200)
    await expectMissing(read, [liveId, foreignId, ...namesNothing(id)])
    for (const bearer of [chairsKey, liveKey]) await expectMissing(one => read(one, { bearer }), [id])
  })
})

describe('GET /v1/refunds', () => {
  test('200: newest first by pages, oldest first, by state and by payment, and separated by mode', async () => {
    const here = await shop(server.api, 'Rugs')
    const bearer = (await insertKey(server.sql, here)).secret
    const [one, two] = [
      await paid(server.api, { ...here, livemode: false }),
      await paid(server.api, { ...here, livemode: false }),
    ]
    const ids: string[] = []
    for (const { id: paymentId } of [one, two, one, two, one]) {
      const destination = ids.length === 1 ? { destination: customerAddress } : {}
      ids.push((await made(paymentId, { amountMinor: 10, ...destination }, { bearer })).id)
    }
    await expectPages(query => list(query, { bearer }), ids)
    for (const each of (await list('', { bearer })).data) refund.assert(each)
    expect(idsOf(await list('?status=requires_signature', { bearer }))).toEqual([ids[1] ?? ''])
    expect(idsOf(await list(`?paymentId=${two.id}`, { bearer }))).toEqual([ids[3] ?? '', ids[1] ?? ''])
    expect(idsOf(await list(`?paymentId=${one.id}&order=asc&limit=1`, { bearer }))).toEqual([ids[0] ?? ''])
    const { id: foreign } = await paidHere()
    await made(foreign)
    for (const none of [foreign, encodeId('pay', crypto.randomUUID())])
      expect((await list(`?paymentId=${none}`, { bearer })).data).toEqual([])
    const live = (await insertKey(server.sql, { ...here, livemode: true })).secret
    expect((await list('', { bearer: live })).data).toEqual([])
  })

  test('200: a new refund is listed immediately for the caller that created it', async () => {
    const { id: paymentId } = await paidHere()
    for (let n = 0; n < 20; n++) {
      const { id } = await made(paymentId, { amountMinor: 1 })
      expect(idsOf(await list('?limit=1'))).toEqual([id])
    }
  })

  testRefusedQueries(list, [
    ['status=done', 'parameter_invalid', 'status'],
    ...refusedSearches,
    ['paymentId=', 'parameter_invalid', 'paymentId'],
    ['paymentId=re_1', 'parameter_invalid', 'paymentId'],
    ['reference=1', 'parameter_unknown', 'reference'],
    ['startingAfter=re_1', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=re_01m7ygh5qmfvg9bxgmmwc0qqnf', 'invalid_cursor', 'startingAfter'],
  ])

  test('400: a cursor of another merchant or of the other mode', async () => {
    const { id } = await made((await paidHere()).id)
    for (const bearer of [chairsKey, liveKey]) await expectNoCursors(query => list(query, { bearer }), [id])
  })
})

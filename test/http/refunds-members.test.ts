import { describe, expect, test } from 'bun:test'
import { chainIdsOf, connectChains } from '../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId } from '../../src/ids.ts'
import { readBacklog } from '../../src/queries/backlog.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { idsOf } from './lists.ts'
import { paid } from './payments.ts'
import { member } from './people.ts'
import { customerAddress, refund, refundCalls } from './refunds.ts'
import { type Asked, newKey, twoShops } from './two-shops.ts'

const shops = await twoShops({
  routes: refundRoutes,
  chains: outside => connectChains([sandboxChain(sandboxContracts)], () => [], outside),
})
const { server, lamps, chairs, ask } = shops
const { start, made, read, list, booksOf, paidHere } = refundCalls(shops)

describe('/v1/merchants/:merchantId/refunds', () => {
  const as = ({ bearer }: { bearer: string }): Asked => ({ path: lamps.path, bearer })

  test('members start refunds in both modes with idempotency keys per mode; viewers read', async () => {
    const developer = await member(server.api, lamps, 'developer')
    const viewer = await member(server.api, lamps, 'viewer')
    const { id: paymentId } = await paidHere()
    const { id: live } = await paid(server.api, { ...lamps, livemode: true })
    const headers = newKey()
    const inTest = await made(paymentId, { amountMinor: 10 }, { ...as(lamps.owner), headers })
    const inLive = await made(live, { amountMinor: 10 }, { ...as(developer), headers })
    expect([inTest.livemode, inLive.livemode]).toEqual([false, true])
    const again = await start(paymentId, { amountMinor: 10 }, { ...as(developer), headers })
    expect([again.headers.get('idempotent-replayed'), JSON.parse(again.text)]).toEqual(['true', inTest])
    // The route for API keys has its own idempotency keys.
    expect(await start(paymentId, { amountMinor: 10 }, { headers })).toMatchObject({
      error: { code: 'idempotency_key_reused' },
    })
    expect(await start('pay_1', {}, { ...as(developer), headers })).toMatchObject({
      error: { code: 'idempotency_key_reused' },
    })

    expect(await start(paymentId, {}, { ...as(developer), headers: {} })).toMatchObject({
      ...{ status: 400, error: { code: 'idempotency_key_required' } },
    })
    expect(await start(paymentId, {}, as(viewer))).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
    const { id: foreign } = await paid(server.api, { ...chairs, livemode: false })
    expect(await start(foreign, {}, as(developer))).toMatchObject({ status: 404 })
    for (const { id } of [inTest, inLive]) expect((await read(id, as(viewer))).status).toBe(200)
    expect(idsOf(await list(`?paymentId=${paymentId}`, as(viewer)))).toEqual([inTest.id])
    expect(idsOf(await list(`?paymentId=${live}&livemode=true`, as(viewer)))).toEqual([inLive.id])
    expect((await list(`?paymentId=${live}`, as(viewer))).data).toEqual([])
  })

  const cancel = (id: string, asked: Asked = as(lamps.owner)) => ask('POST', `/refunds/${id}/cancel`, asked)
  const refundIs = async (id: string, event: { type: string } & Record<string, unknown>) => {
    const outcome = await server.api.actors.dispatch({ kind: 'refund', actor: decodeId('re', id) ?? '', event })
    expect(outcome.ok).toBe(true)
  }
  const txHash = `0x${'1'.repeat(64)}`

  const waiting = async (paymentId: string, more = '') =>
    idsOf(await list(`?paymentId=${paymentId}&attention=true${more}`, as(lamps.owner)))
  const gauge = async (chainsOn = chainIdsOf(server.api.chains)) =>
    (await readBacklog(server.sql, chainsOn)).refundsWithAttention

  test('200: attention=true lists refunds that need a decision, until it is made', async () => {
    const { id: paymentId } = await paidHere()
    const { id } = await made(paymentId, { amountMinor: 10 })
    await made(paymentId, { amountMinor: 10 })
    await cancel(id)
    expect(await waiting(paymentId)).toEqual([])
    await refundIs(id, { type: 'stray_transfer_seen', txHash })
    expect(await waiting(paymentId)).toEqual([id])
    expect(await waiting(paymentId, '&livemode=true')).toEqual([])
    expect(await waiting(paymentId, '&status=failed')).toEqual([])
    expect(await gauge()).toBe(1)
    expect((await resolve(id)).status).toBe(200)
    expect(await waiting(paymentId)).toEqual([])
    expect(await gauge()).toBe(0)
    const refused = { status: 400, error: { param: 'attention' } }
    expect(await list('?attention=false', as(lamps.owner))).toMatchObject(refused)
    // The filter exists only for members.
    expect(await list('?attention=true')).toMatchObject(refused)
  })

  const resolve = (id: string, asked: Asked = as(lamps.owner), json: object = { action: 'dismiss' }) =>
    ask('POST', `/refunds/${id}/resolve`, { ...asked, json })
  const conflict = { status: 409, error: { code: 'state_conflict' } }

  test('POST /:id/resolve, 200: recorded in the history with its author; 409 where nothing needs a decision', async () => {
    const { id: paymentId } = await paidHere()
    const { id } = await made(paymentId, { amountMinor: 10 })
    expect(await resolve(id)).toMatchObject(conflict)
    await cancel(id)
    expect(await resolve(id)).toMatchObject(conflict)
    await refundIs(id, { type: 'stray_transfer_seen', txHash })
    const answers = await Promise.all(Array.from({ length: 10 }, () => resolve(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    const resolved = refund.assert(answers.find(({ status }) => status === 200)?.json)
    expect(resolved).toMatchObject({ id, status: 'canceled' })
    expect((await read(id)).json).toEqual(resolved)
    const history = await server.sql<{ cause: string }[]>`
      select split_part(cause, ' ', 1) as cause from transitions where actor = ${decodeId('re', id) ?? ''} and event = 'dismiss'`
    expect([...history]).toEqual([{ cause: lamps.owner.id }])
  })

  test('POST /:id/resolve: attention derived from a cause ends with the cause and cannot be dismissed', async () => {
    const { id: paymentId } = await paidHere()
    const { id } = await made(paymentId, { amountMinor: 10 })
    await server.sql`update refund_claims set expires_at = now() where id = ${decodeId('re', id) ?? ''}`
    expect(await waiting(paymentId)).toEqual([id])
    expect(await gauge()).toBe(1)
    expect(await resolve(id)).toMatchObject(conflict)
    expect(await waiting(paymentId)).toEqual([id])
    await cancel(id)
    expect([await waiting(paymentId), await gauge()]).toEqual([[], 0])
  })

  test('POST /:id/resolve: only for developers and owners of its merchant, not for keys', async () => {
    const { id } = await made((await paidHere()).id, { amountMinor: 10 })
    await cancel(id)
    await refundIs(id, { type: 'stray_transfer_seen', txHash })
    const viewer = await member(server.api, lamps, 'viewer')
    expect(await resolve(id, as(viewer))).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
    expect(await resolve(id, { path: chairs.path, bearer: chairs.owner.bearer })).toMatchObject({ status: 404 })
    expect(await resolve(id, {})).toMatchObject({ status: 404, error: { code: 'route_not_found' } })
    for (const json of [{}, { action: 'pay' }, { action: 'dismiss', more: 1 }])
      expect(await resolve(id, as(lamps.owner), json)).toMatchObject({ status: 400 })
    expect((await resolve(id, as(await member(server.api, lamps, 'developer')))).status).toBe(200)
  })

  test('POST /:id/cancel, 200: the amount can be refunded again, with an event refund.canceled', async () => {
    const { actor, id: paymentId } = await paidHere()
    for (const said of [{}, { destination: customerAddress }]) {
      const { id: refundId, ...before } = await made(paymentId, said)
      const canceled = refund.assert((await cancel(refundId)).json)
      expect(canceled).toEqual({
        ...{ ...before, id: refundId, claimUrl: null, unsignedTransaction: null },
        ...{ status: 'canceled', updatedAt: canceled.updatedAt },
      })
      expect(JSON.parse((await read(refundId)).text)).toEqual(canceled)
      expect(await booksOf(actor)).toMatchObject({ reserved: 0 })
      const events =
        await server.sql`select type, json_of(object) as object from events where actor = ${decodeId('re', refundId) ?? ''}`
      const { attention, ...published } = canceled
      expect([attention, [...events]]).toEqual([false, [{ type: 'refund.canceled', object: published }]])
    }
    expect((await made(paymentId)).amountMinor).toBe(1000)
  })

  test('POST /:id/cancel, 409: once it is processing, and the second time', async () => {
    const { actor, id: paymentId } = await paidHere()
    const { id: sent } = await made(paymentId, { amountMinor: 100, destination: customerAddress })
    await refundIs(sent, { type: 'transaction_sent', txHash })
    const conflict = (status: string) => ({ status: 409, error: { code: 'state_conflict', details: { status } } })
    expect(await cancel(sent)).toMatchObject(conflict('processing'))
    const { id: twice } = await made(paymentId, { amountMinor: 100 })
    expect((await cancel(twice)).status).toBe(200)
    expect(await cancel(twice)).toMatchObject(conflict('canceled'))
    expect(await booksOf(actor)).toMatchObject({ reserved: 100 })
  })

  test('POST /:id/cancel: of twenty simultaneous requests one succeeds, and the amount is released once', async () => {
    const { actor, id: paymentId } = await paidHere()
    await made(paymentId, { amountMinor: 500 })
    const { id: refundId } = await made(paymentId, { amountMinor: 100 })
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => cancel(refundId)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, ...Array(19).fill(409)])
    expect(await booksOf(actor)).toMatchObject({ reserved: 500 })
  })

  test('POST /:id/cancel: only for developers and owners of its merchant, not for keys', async () => {
    const { id } = await made((await paidHere()).id)
    const viewer = await member(server.api, lamps, 'viewer')
    expect(await cancel(id, as(viewer))).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
    expect(await cancel(id, { path: chairs.path, bearer: chairs.owner.bearer })).toMatchObject({ status: 404 })
    expect(await ask('POST', `/refunds/${id}/cancel`)).toMatchObject({
      status: 404,
      error: { code: 'route_not_found' },
    })
    expect(await cancel(id, { ...as(lamps.owner), json: { reason: 'x' } })).toMatchObject({ status: 400 })
    expect(JSON.parse((await read(id)).text)).toMatchObject({ status: 'requires_destination' })
  })
})

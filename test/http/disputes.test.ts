import { describe, expect, test } from 'bun:test'
import { type } from 'arktype'
import { openTimers } from '../../src/actors/timers.ts'
import { manualClock } from '../../src/clock.ts'
import { disputeRoutes } from '../../src/http/disputes.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { insertKey } from '../access/keys.ts'
import { expectPages, idsOf, refusedSearches, testRefusedQueries } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { happen, openPayment, paid, seen, windowOver } from './payments.ts'
import { member, shop } from './people.ts'
import { type Refused, refusedAmounts } from './refused.ts'
import { type Asked, newKey, twoShops } from './two-shops.ts'

const clock = manualClock(new Date())
const DAY_MS = 86_400_000

const { server, lamps, chairs, liveKey, chairsKey, ask, page } = await twoShops({
  ...{ routes: disputeRoutes, outside: { clock } },
})

const dispute = type({
  '+': 'reject',
  object: "'dispute'",
  id: '/^dp_[0-9a-z]{26}$/',
  paymentId: '/^pay_[0-9a-z]{26}$/',
  merchantId: '/^mer_[0-9a-z]{26}$/',
  amountMinor: 'number.integer',
  currency: "'USD'",
  reason: 'string',
  status: "'needs_response' | 'under_review' | 'won' | 'lost'",
  evidence: type({
    '+': 'reject',
    uncategorizedText: 'string | null',
    customerCommunication: 'string | null',
    shippingTrackingNumber: 'string | null',
    refundPolicy: 'string | null',
  }),
  evidenceDueBy: 'string',
  outcome: "'won' | 'lost' | null",
  livemode: 'false',
  createdAt: 'string',
  updatedAt: 'string',
})

const open = (paymentId: string, json: object = {}, asked: Asked = {}) =>
  ask('POST', `/payments/${paymentId}/disputes`, { ...asked, json: { reason: 'general', ...json } })
const opened = async (paymentId: string, json: object = {}, asked: Asked = {}) => {
  const answer = await open(paymentId, json, asked)
  expect(answer).toMatchObject({ status: 201, error: undefined })
  return dispute.assert(answer.json)
}
const read = (id: string, asked: Asked = {}) => ask('GET', `/disputes/${id}`, asked)
const now = async (id: string) => dispute.assert((await read(id)).json)
const addEvidence = (id: string, json: object, asked: Asked = {}) =>
  ask('POST', `/disputes/${id}/evidence`, { ...asked, json })
const resolve = (id: string, json: object, asked: Asked = {}) =>
  ask('POST', `/disputes/${id}/resolve`, { ...asked, json })
const list = (query = '', asked?: Asked) => page<typeof dispute.infer>(`/disputes${query}`, asked)
const paidHere = (of = lamps) => paid(server.api, { ...of, livemode: false })
const openedHere = async () => opened((await paidHere()).id)
const eventsOf = async (id: string) => {
  const rows = await server.sql<{ type: string; object: object }[]>`
    select type, json_of(object) as object from events where actor = ${decodeId('dp', id) ?? ''} order by rev`
  return [...rows]
}
const fireDue = () => openTimers(server.api, server.api.actors).fireDue()
const text = (length: number) => 'x'.repeat(length)
const conflict = (status: string) => ({ status: 409, error: { code: 'state_conflict', details: { status } } })

describe('POST /v1/payments/:id/disputes', () => {
  test('201: the full amount, due in seven days, with an event dispute.opened', async () => {
    const { id: paymentId } = await paidHere()
    const made = await opened(paymentId, { reason: 'fraudulent' })
    expect(made).toMatchObject({
      paymentId,
      merchantId: encodeId('mer', lamps.merchantId),
      amountMinor: 1000,
      currency: 'USD',
      reason: 'fraudulent',
      status: 'needs_response',
      evidence: {
        uncategorizedText: null,
        customerCommunication: null,
        shippingTrackingNumber: null,
        refundPolicy: null,
      },
      outcome: null,
      evidenceDueBy: new Date(Date.parse(made.createdAt) + 7 * DAY_MS).toISOString(),
    })
    expect(await now(made.id)).toEqual(made)
    expect(await eventsOf(made.id)).toEqual([{ type: 'dispute.opened', object: made }])
  })

  test.each([
    'fraudulent',
    'product_not_received',
    'product_unacceptable',
    'duplicate',
    'credit_not_processed',
    'general',
  ])('201: %s, over a part of the payment', async reason => {
    const { id: paymentId } = await paidHere()
    expect(await opened(paymentId, { reason, amountMinor: 1, description: text(1000) })).toMatchObject({
      ...{ reason, amountMinor: 1 },
    })
  })

  test('201: null means no description', async () => {
    await opened((await paidHere()).id, { description: null })
  })

  test.each<Refused>([
    ['no reason', { reason: undefined }, 'parameter_missing', 'reason'],
    ['an unknown reason', { reason: 'because' }, 'parameter_invalid', 'reason'],
    ['a reason of null', { reason: null }, 'parameter_invalid', 'reason'],
    ...refusedAmounts,
    ['an empty description', { description: '' }, 'parameter_invalid', 'description'],
    ['a long description', { description: text(1001) }, 'parameter_invalid', 'description'],
    ['evidence', { uncategorizedText: 'x' }, 'parameter_unknown', 'uncategorizedText'],
    ['a mode', { livemode: true }, 'parameter_unknown', 'livemode'],
  ])('400: %s', async (_, json, code, param) => {
    expect(await open('pay_1', json)).toMatchObject({ status: 400, error: { code, param } })
  })

  test('400: more than the payment', async () => {
    const { id: paymentId } = await paidHere()
    expect(await open(paymentId, { amountMinor: 1001 })).toMatchObject({
      ...{ status: 400, error: { code: 'parameter_invalid', param: 'amountMinor' } },
    })
    await opened(paymentId, { amountMinor: 1000 })
  })

  test('403: a live key for any request, and a key without the scope', async () => {
    const { id: paymentId } = await paidHere()
    const { id: live } = await paid(server.api, { ...lamps, livemode: true })
    const { id } = await openedHere()
    const bearer = liveKey
    for (const answer of [
      await open(paymentId, {}, { bearer }),
      await open(live, {}, { bearer }),
      await open('pay_1', { reason: 1 }, { bearer }),
      await read(id, { bearer }),
      await list('', { bearer }),
      await addEvidence(id, {}, { bearer }),
      await resolve(id, { outcome: 'won' }, { bearer }),
    ])
      expect(answer).toMatchObject({ status: 403, error: { code: 'sandbox_only' } })
    for (const scopes of [['payments:read'], ['refunds:write'], ['payment_links:write']]) {
      const keyWithoutScope = { bearer: (await insertKey(server.sql, { ...lamps, scopes })).secret }
      const refused = { status: 403, error: { code: 'insufficient_scope' } }
      expect(await open(paymentId, {}, keyWithoutScope)).toMatchObject(refused)
      expect(await addEvidence(id, {}, keyWithoutScope)).toMatchObject(refused)
      expect(await resolve(id, { outcome: 'won' }, keyWithoutScope)).toMatchObject(refused)
    }
    const both = {
      bearer: (await insertKey(server.sql, { ...lamps, livemode: true, scopes: ['payments:read'] })).secret,
    }
    expect(await open(paymentId, {}, both)).toMatchObject({ status: 403, error: { code: 'insufficient_scope' } })
  })

  test('404: a payment of another merchant or mode, and an id of nothing', async () => {
    const { id: paymentId } = await paidHere()
    const { id: foreign } = await paidHere(chairs)
    const { id: live } = await paid(server.api, { ...lamps, livemode: true })
    await expectMissing(payment => open(payment), [foreign, live, ...namesNothing(paymentId)])
    expect(await open(paymentId, {}, { bearer: chairsKey })).toMatchObject({ status: 404 })
  })

  test('409: while one is open, which is named; afterwards another can be opened', async () => {
    const { id: paymentId } = await paidHere()
    const first = await opened(paymentId)
    const already = { status: 409, error: { code: 'dispute_already_open', details: { disputeId: first.id } } }
    expect(await open(paymentId, { reason: 'duplicate' })).toMatchObject(already)
    await addEvidence(first.id, { submit: true })
    expect(await open(paymentId)).toMatchObject(already)
    await resolve(first.id, { outcome: 'won' })
    await opened(paymentId)
  })

  test('409: of thirty simultaneous requests one succeeds and the others name it', async () => {
    const { id: paymentId } = await paidHere()
    const answers = await Promise.all(Array.from({ length: 30 }, () => open(paymentId)))
    const [first, ...more] = answers.filter(({ status }) => status === 201)
    expect(more).toEqual([])
    const { id } = dispute.assert(first?.json)
    const others = answers.filter(({ error }) => error?.code === 'dispute_already_open')
    expect(others.map(({ error }) => error?.details)).toEqual(Array(29).fill({ disputeId: id }))
  })

  test('422: a payment that has not succeeded', async () => {
    const pending = await openPayment(server.api, { ...lamps, livemode: false })
    const processing = await openPayment(server.api, { ...lamps, livemode: false })
    await happen(server.api, processing.actor, seen('enough_seen', 1000n))
    const expired = await openPayment(server.api, { ...lamps, livemode: false })
    await happen(server.api, expired.actor, windowOver())
    for (const { id: paymentId } of [pending, processing, expired])
      expect(await open(paymentId)).toMatchObject({ status: 422, error: { code: 'payment_not_disputable' } })
  })

  test('thirty simultaneous requests with one idempotency key open one dispute and get the same response', async () => {
    const { id: paymentId } = await paidHere()
    const headers = newKey()
    const answers = await Promise.all(Array.from({ length: 30 }, () => open(paymentId, {}, { headers })))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(29)
    expect(await open(paymentId, { reason: 'duplicate' }, { headers })).toMatchObject({
      ...{ status: 422, error: { code: 'idempotency_key_reused' } },
    })
  })
})

describe('GET /v1/disputes/:id', () => {
  test('200 for the owner of the key, 404 with the same text for all others', async () => {
    const { id } = await openedHere()
    const { id: foreign } = await opened((await paidHere(chairs)).id, {}, { bearer: chairsKey })
    expect((await read(id)).status).toBe(200)
    await expectMissing(read, [foreign, ...namesNothing(id)])
  })
})

describe('POST /v1/disputes/:id/evidence', () => {
  test('200: evidence can be added field by field until it is submitted', async () => {
    const { id } = await openedHere()
    expect(
      dispute.assert((await addEvidence(id, { uncategorizedText: 'draft', refundPolicy: '14 days' })).json),
    ).toMatchObject({
      ...{ status: 'needs_response', evidence: { uncategorizedText: 'draft', refundPolicy: '14 days' } },
    })
    await addEvidence(id, { uncategorizedText: '', customerCommunication: text(2000), submit: false })
    const submitted = dispute.assert((await addEvidence(id, { shippingTrackingNumber: '1Z', submit: true })).json)
    expect(submitted).toMatchObject({
      status: 'under_review',
      evidence: {
        uncategorizedText: '',
        customerCommunication: text(2000),
        shippingTrackingNumber: '1Z',
        refundPolicy: '14 days',
      },
    })
    for (const more of [{}, { refundPolicy: 'none' }, { submit: true }])
      expect(await addEvidence(id, more)).toMatchObject(conflict('under_review'))
    expect(await now(id)).toEqual(submitted)
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['dispute.opened'])
  })

  test('200: submitted twice with one idempotency key, it is submitted once', async () => {
    const { id } = await openedHere()
    const headers = newKey()
    const answers = await Promise.all(Array.from({ length: 10 }, () => addEvidence(id, { submit: true }, { headers })))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
  })

  test.each<[string, object, string, string]>([
    ['a long text', { uncategorizedText: text(2001) }, 'parameter_invalid', 'uncategorizedText'],
    ['a long letter', { customerCommunication: text(2001) }, 'parameter_invalid', 'customerCommunication'],
    ['a long number', { shippingTrackingNumber: text(2001) }, 'parameter_invalid', 'shippingTrackingNumber'],
    ['a long policy', { refundPolicy: text(2001) }, 'parameter_invalid', 'refundPolicy'],
    ['a text of null', { uncategorizedText: null }, 'parameter_invalid', 'uncategorizedText'],
    ['a number', { refundPolicy: 14 }, 'parameter_invalid', 'refundPolicy'],
    ['yes', { submit: 'yes' }, 'parameter_invalid', 'submit'],
    ['another field', { receipt: 'x' }, 'parameter_unknown', 'receipt'],
    ['an outcome', { outcome: 'won' }, 'parameter_unknown', 'outcome'],
  ])('400: %s', async (_, json, code, param) => {
    expect(await addEvidence('dp_1', json)).toMatchObject({ status: 400, error: { code, param } })
  })

  /** 6,000 bytes. */
  const other = '証'.repeat(2000)
  const tooMuch = (param: string) => ({ status: 400, error: { code: 'parameter_invalid', param } })

  test('400: more than 18 KiB in total, in any script, at once or field by field', async () => {
    const { id } = await openedHere()
    const three = { uncategorizedText: other, customerCommunication: other, refundPolicy: other }
    expect(await addEvidence(id, { ...three, shippingTrackingNumber: other })).toMatchObject(
      tooMuch('uncategorizedText'),
    )
    expect((await addEvidence(id, three)).status).toBe(200)
    const before = await now(id)
    expect(await addEvidence(id, { shippingTrackingNumber: other, submit: true })).toMatchObject(
      tooMuch('shippingTrackingNumber'),
    )
    // Six bytes each in JSON.
    expect(await addEvidence(id, { refundPolicy: '\u0001'.repeat(2000) })).toMatchObject(tooMuch('refundPolicy'))
    expect(await now(id)).toEqual(before)
    expect((await addEvidence(id, { refundPolicy: '', shippingTrackingNumber: other, submit: true })).status).toBe(200)
  })

  test('400: more than 18 KiB by four simultaneous requests with a part each', async () => {
    const { id } = await openedHere()
    const fields = ['uncategorizedText', 'customerCommunication', 'shippingTrackingNumber', 'refundPolicy']
    const answers = await Promise.all(fields.map(field => addEvidence(id, { [field]: other })))
    const refused = answers.flatMap((answer, index) => (answer.status === 200 ? [] : [{ answer, index }]))
    expect(refused).toHaveLength(1)
    for (const { answer, index } of refused) expect(answer).toMatchObject(tooMuch(fields[index] ?? ''))
    // The row has the same limit.
    await expect(
      (async () => server.sql`
        update disputes set uncategorized_text = repeat(chr(1), 2000), refund_policy = repeat('"', 2000),
          customer_communication = repeat(chr(9), 2000), shipping_tracking_number = ''
        where id = ${decodeId('dp', id) ?? ''}`)(),
    ).rejects.toMatchObject({ constraint_name: 'disputes_evidence_fits' })
  })

  test('404: a dispute of another merchant', async () => {
    const { id } = await openedHere()
    expect(await addEvidence(id, { submit: true }, { bearer: chairsKey })).toMatchObject({ status: 404 })
    expect((await now(id)).status).toBe('needs_response')
  })

  test.each<['winning' | 'losing', 'won' | 'lost']>([
    ['winning', 'won'],
    ['losing', 'lost'],
  ])(
    '%s evidence is decided after three seconds, not earlier, with an event dispute.resolved',
    async (word, outcome) => {
      const { id } = await openedHere()
      await addEvidence(id, { uncategorizedText: `${word}_evidence` })
      // Nothing is decided before it is submitted.
      clock.advance(60_000)
      await fireDue()
      expect((await now(id)).status).toBe('needs_response')
      await addEvidence(id, { submit: true })
      clock.advance(2_999)
      await fireDue()
      expect(await now(id)).toMatchObject({ status: 'under_review', outcome: null })
      clock.advance(1)
      await fireDue()
      const decided = await now(id)
      expect(decided).toMatchObject({ status: outcome, outcome })
      const [, resolved, ...more] = await eventsOf(id)
      expect([resolved, more]).toEqual([{ type: 'dispute.resolved', object: decided }, []])
    },
  )

  test('without submitted evidence it is lost after seven days', async () => {
    const { id } = await openedHere()
    const { id: answered } = await openedHere()
    await addEvidence(id, { uncategorizedText: 'winning_evidence' })
    await addEvidence(answered, { uncategorizedText: 'my side', submit: true })
    clock.advance(7 * DAY_MS - 1)
    await fireDue()
    expect((await now(id)).status).toBe('needs_response')
    clock.advance(1)
    // Its time is over, even when the timer is late.
    expect(await addEvidence(id, { submit: true })).toMatchObject({ status: 409, error: { code: 'state_conflict' } })
    await fireDue()
    const lost = await now(id)
    expect(lost).toMatchObject({ status: 'lost', outcome: 'lost' })
    expect((await eventsOf(id)).at(-1)).toEqual({ type: 'dispute.resolved', object: lost })
    expect(await addEvidence(id, { submit: true })).toMatchObject({ status: 409, error: { code: 'state_conflict' } })
    clock.advance(30 * DAY_MS)
    await fireDue()
    expect((await now(answered)).status).toBe('under_review')
  })
})

describe('POST /v1/disputes/:id/resolve', () => {
  test.each(['won', 'lost'])('200: %s, with one event dispute.resolved', async outcome => {
    const { id } = await openedHere()
    await addEvidence(id, { uncategorizedText: 'my side', submit: true })
    const headers = newKey()
    const resolved = await resolve(id, { outcome }, { headers })
    expect(dispute.assert(resolved.json)).toMatchObject({ status: outcome, outcome })
    expect((await resolve(id, { outcome }, { headers })).text).toBe(resolved.text)
    for (const other of ['won', 'lost']) expect(await resolve(id, { outcome: other })).toMatchObject(conflict(outcome))
    expect(await addEvidence(id, { refundPolicy: 'x' })).toMatchObject(conflict(outcome))
    expect((await eventsOf(id)).slice(1)).toEqual([{ type: 'dispute.resolved', object: resolved.json as object }])
  })

  test('409: before evidence is submitted', async () => {
    const { id } = await openedHere()
    expect(await resolve(id, { outcome: 'won' })).toMatchObject(conflict('needs_response'))
  })

  test('a dispute resolved by hand is not decided again by its evidence', async () => {
    const { id } = await openedHere()
    await addEvidence(id, { uncategorizedText: 'winning_evidence', submit: true })
    await resolve(id, { outcome: 'lost' })
    clock.advance(10_000)
    await fireDue()
    expect((await now(id)).outcome).toBe('lost')
  })

  test('400: no outcome or an unknown one; 404: a dispute of another merchant', async () => {
    const { id } = await openedHere()
    for (const [json, code] of [
      [{}, 'parameter_missing'],
      [{ outcome: 'draw' }, 'parameter_invalid'],
      [{ outcome: null }, 'parameter_invalid'],
    ] as const)
      expect(await resolve(id, json)).toMatchObject({ status: 400, error: { code, param: 'outcome' } })
    expect(await resolve(id, { outcome: 'won' }, { bearer: chairsKey })).toMatchObject({ status: 404 })
  })
})

describe('GET /v1/disputes', () => {
  test('200: newest first by pages, oldest first, by state and by payment', async () => {
    const here = await shop(server.api, 'Rugs')
    const bearer = (await insertKey(server.sql, here)).secret
    const payments = [await paidHere(here), await paidHere(here), await paidHere(here)]
    const ids: string[] = []
    for (const { id: paymentId } of payments) ids.push((await opened(paymentId, {}, { bearer })).id)
    await addEvidence(ids[0] ?? '', { submit: true }, { bearer })
    await resolve(ids[0] ?? '', { outcome: 'lost' }, { bearer })
    ids.push((await opened(payments[0]?.id ?? '', {}, { bearer })).id)
    await expectPages(query => list(query, { bearer }), ids)
    for (const each of (await list('', { bearer })).data) dispute.assert(each)
    expect(idsOf(await list('?status=lost', { bearer }))).toEqual([ids[0] ?? ''])
    expect(idsOf(await list(`?paymentId=${payments[0]?.id}`, { bearer }))).toEqual([ids[3] ?? '', ids[0] ?? ''])
    expect((await list(`?paymentId=${(await paidHere()).id}`, { bearer })).data).toEqual([])
  })

  testRefusedQueries(list, [
    ['status=open', 'parameter_invalid', 'status'],
    ...refusedSearches,
    ['paymentId=x', 'parameter_invalid', 'paymentId'],
    ['livemode=false', 'parameter_unknown', 'livemode'],
    ['reason=general', 'parameter_unknown', 'reason'],
    ['startingAfter=dp_1', 'invalid_cursor', 'startingAfter'],
  ])
})

describe('/v1/merchants/:merchantId/disputes', () => {
  test('members open, answer and resolve disputes of test payments; viewers read them', async () => {
    // A new session, because the clock has moved on by months.
    clock.set(new Date())
    const as = ({ bearer }: { bearer: string }): Asked => ({ path: lamps.path, bearer })
    const developer = await member(server.api, lamps, 'developer')
    const viewer = await member(server.api, lamps, 'viewer')
    const { id: paymentId } = await paidHere()
    const { id } = await opened(paymentId, {}, as(developer))
    const low = { status: 403, error: { code: 'insufficient_role' } }
    expect(await open((await paidHere()).id, {}, as(viewer))).toMatchObject(low)
    expect(await addEvidence(id, { submit: true }, as(viewer))).toMatchObject(low)
    expect((await addEvidence(id, { submit: true }, as(developer))).status).toBe(200)
    expect(await resolve(id, { outcome: 'won' }, as(viewer))).toMatchObject(low)
    expect((await resolve(id, { outcome: 'won' }, as(lamps.owner))).status).toBe(200)
    expect(JSON.parse((await read(id, as(viewer))).text)).toEqual(await now(id))
    expect(idsOf(await list(`?paymentId=${paymentId}`, as(viewer)))).toEqual([id])
    expect((await list('?livemode=true', as(viewer))).data).toEqual([])

    const { id: live } = await paid(server.api, { ...lamps, livemode: true })
    expect(await open(live, {}, as(developer))).toMatchObject({ status: 403, error: { code: 'sandbox_only' } })
    const { id: foreign } = await paidHere(chairs)
    const { id: foreignLive } = await paid(server.api, { ...chairs, livemode: true })
    for (const other of [foreign, foreignLive])
      expect(await open(other, {}, as(developer))).toMatchObject({ status: 404 })
    const causes = await server.sql<{ cause: string }[]>`
      select split_part(cause, ' ', 1) as cause from transitions where actor = ${decodeId('dp', id) ?? ''} order by rev`
    expect(causes.map(({ cause }) => cause)).toEqual([developer.id, developer.id, lamps.owner.id])
  })
})

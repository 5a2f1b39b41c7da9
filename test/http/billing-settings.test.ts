import { afterAll, expect, test } from 'bun:test'
import { billingSettingsRoutes } from '../../src/http/billing-settings.ts'
import { seriesIdOf } from '../../src/queries/document-series.ts'
import { apiServer } from '../harness/api.ts'
import { forgetProof, member, type Person, type Shop, shop } from './people.ts'

const server = await apiServer({ routes: billingSettingsRoutes })
afterAll(() => server[Symbol.asyncDispose]())

const read = ({ path, owner }: Shop, query = '') =>
  server.call('GET', `${path}/settings/billing${query}`, { bearer: owner.bearer })
const change = (
  { path, owner }: Shop,
  json: unknown,
  { query = '', by = owner }: { query?: string; by?: Person } = {},
) => server.call('PATCH', `${path}/settings/billing${query}`, { bearer: by.bearer, json })

const address = {
  line1: '12 Byron Street',
  line2: null,
  city: 'London',
  postalCode: 'N1 7AA',
  state: null,
  country: 'GB',
}

test('a new merchant has the defaults, and both modes have the same', async () => {
  const lamps = await shop(server.api)
  const { status, json } = await read(lamps)
  expect(status).toBe(200)
  expect(json).toMatchObject({
    ...{ object: 'billing_settings', legalName: null, address: null, taxId: null, timeZone: 'UTC' },
    ...{ invoicePrefix: 'INV', creditNotePrefix: 'CN', numberPattern: '{prefix}-{year}-{number:4}', restart: 'yearly' },
    ...{ nextNumber: 1, nextCreditNoteNumber: 1, daysUntilDue: 14, taxRateBps: 0, taxBehavior: 'exclusive' },
    reminders: [-3, 0, 7, 14],
    ...{ notes: null, retentionYears: 10, livemode: false },
  })
  expect((await read(lamps, '?livemode=true')).json).toEqual({ ...(json as object), livemode: true })
})

test('sent fields change, others stay, and null clears', async () => {
  const lamps = await shop(server.api)
  const { line2: _, state: __, ...sent } = address
  const first = await change(lamps, { legalName: 'Lamps Ltd', address: sent, reminders: [0], notes: 'Thank you.' })
  expect([first.status, first.json]).toMatchObject([
    200,
    { legalName: 'Lamps Ltd', address, reminders: [0], notes: 'Thank you.', daysUntilDue: 14 },
  ])
  const second = await change(lamps, { address: null, taxRateBps: 1900, restart: 'never', numberPattern: 'R{number}' })
  expect(second.json).toMatchObject({ legalName: 'Lamps Ltd', address: null, taxRateBps: 1900, restart: 'never' })
  expect((await read(lamps)).json).toEqual(second.json)
  const [{ details } = { details: {} }] = await server.sql`
    select details from security_events where merchant_id = ${lamps.merchantId} order by at desc limit 1`
  expect(details).toEqual({
    changed: {
      address: { from: address, to: null },
      taxRateBps: { from: 0, to: 1900 },
      restart: { from: 'yearly', to: 'never' },
      numberPattern: { from: '{prefix}-{year}-{number:4}', to: 'R{number}' },
    },
  })
})

test.each([
  ['legalName', ''],
  ['legalName', 'x'.repeat(201)],
  ['address', { line1: 'x' }],
  ['address', { ...address, country: 'gb' }],
  ['timeZone', 'Mars/Olympus'],
  ['timeZone', '+02:00'],
  // The runtime knows it, and the database does not.
  ['timeZone', 'US/Pacific-New'],
  ['invoicePrefix', 'IN V'],
  ['creditNotePrefix', ''],
  ['numberPattern', '{prefix}-{year}'],
  ['numberPattern', '{number}'],
  ['restart', 'monthly'],
  ['nextNumber', 0],
  ['nextNumber', 1_000_000_000],
  ['daysUntilDue', 366],
  ['taxRateBps', 10_001],
  ['taxBehavior', 'none'],
  ['reminders', [-31]],
  ['reminders', [0, 0]],
  ['reminders', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['notes', 'x'.repeat(2_001)],
  ['retentionYears', 0],
])('400: %s cannot be %p', async (field, value) => {
  const { status, json } = await change(await shop(server.api), { [field]: value })
  expect([status, json]).toMatchObject([400, { error: { param: expect.stringContaining(field) } }])
})

test('a pattern without a year cannot restart every year, in whatever order the two are sent', async () => {
  const lamps = await shop(server.api)
  await change(lamps, { restart: 'never', numberPattern: '{number}' })
  const { status, json } = await change(lamps, { restart: 'yearly' })
  expect([status, json]).toMatchObject([400, { error: { param: 'numberPattern' } }])
})

test('the time zone can be changed once in 24 hours', async () => {
  const lamps = await shop(server.api)
  expect((await change(lamps, { timeZone: 'Europe/Berlin' })).status).toBe(200)
  const { status, json } = await change(lamps, { timeZone: 'UTC', notes: 'Late.' })
  expect([status, json]).toMatchObject([409, { error: { code: 'state_conflict', param: 'timeZone' } }])
  expect((await change(lamps, { timeZone: 'Europe/Berlin', notes: 'Same.' })).json).toMatchObject({ notes: 'Same.' })
  await server.sql`
    update billing_settings set time_zone_changed_at = now() - interval '25 hours' where merchant_id = ${lamps.merchantId}`
  expect((await change(lamps, { timeZone: 'UTC' })).json).toMatchObject({ timeZone: 'UTC' })
})

const year = new Date().getUTCFullYear()

/** Gives the next number of the series, as finalization does. */
const issue = async (
  { merchantId }: Shop,
  livemode: boolean,
  number: number,
  documentKind: 'invoice' | 'credit_note' = 'invoice',
) => {
  const key = { merchantId, livemode, documentKind, year, testClockId: null }
  const series = { kind: 'document_series', actor: seriesIdOf(key) }
  const [row] = await server.sql`select from document_series where id = ${series.actor}`
  if (!row) await server.api.actors.dispatch({ ...series, create: { ...key, firstNumber: 1 } })
  const event = { type: 'issue', number, year, issuedAt: new Date(), documentHash: 'a'.repeat(64) }
  return server.api.actors.dispatch({ ...series, event })
}

test('the next number can be raised before the first one is given, and not later', async () => {
  const lamps = await shop(server.api)
  expect((await change(lamps, { nextNumber: 7 })).json).toMatchObject({ nextNumber: 7 })
  expect((await read(lamps, '?livemode=true')).json).toMatchObject({ nextNumber: 7 })
  const lowered = await change(lamps, { nextNumber: 6 })
  expect([lowered.status, lowered.json]).toMatchObject([409, { error: { param: 'nextNumber' } }])
  expect((await change(lamps, { nextNumber: 9 })).json).toMatchObject({ nextNumber: 9 })
  expect(await issue(lamps, false, 9)).toMatchObject({ ok: true })
  expect((await read(lamps)).json).toMatchObject({ nextNumber: 10 })
  const late = await change(lamps, { nextNumber: 20 })
  expect([late.status, late.json]).toMatchObject([409, { error: { param: 'nextNumber' } }])
  expect((await read(lamps, '?livemode=true')).json).toMatchObject({ nextNumber: 9 })
})

test('the next number of a credit note is that of its own series, in each mode', async () => {
  const lamps = await shop(server.api)
  await issue(lamps, false, 1)
  for (const number of [1, 2]) expect(await issue(lamps, false, number, 'credit_note')).toMatchObject({ ok: true })
  expect((await read(lamps)).json).toMatchObject({ nextNumber: 2, nextCreditNoteNumber: 3 })
  expect((await read(lamps, '?livemode=true')).json).toMatchObject({ nextNumber: 1, nextCreditNoteNumber: 1 })
  expect((await change(lamps, { restart: 'never' })).json).toMatchObject({ nextNumber: 1, nextCreditNoteNumber: 1 })
})

test('after invoices in test mode, the next number of live mode can be raised alone', async () => {
  const lamps = await shop(server.api)
  expect(await issue(lamps, false, 1)).toMatchObject({ ok: true })
  expect((await change(lamps, { nextNumber: 138 })).status).toBe(409)
  const live = await change(lamps, { nextNumber: 138 }, { query: '?livemode=true' })
  expect([live.status, live.json]).toMatchObject([200, { nextNumber: 138, livemode: true }])
  expect((await read(lamps)).json).toMatchObject({ nextNumber: 2 })
})

test('of parallel changes of the next number, the result is the highest', async () => {
  const lamps = await shop(server.api)
  const answers = await Promise.all([3, 8, 5].map(nextNumber => change(lamps, { nextNumber })))
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
  expect((await read(lamps)).json).toMatchObject({ nextNumber: 8 })
})

test('owners change them after a proof of identity, and all members read them', async () => {
  const lamps = await shop(server.api)
  for (const role of ['developer', 'viewer'] as const) {
    const by = await member(server.api, lamps, role)
    const read = await server.call('GET', `${lamps.path}/settings/billing`, { bearer: by.bearer })
    const { status, json } = await change(lamps, { notes: 'x' }, { by })
    expect([read.status, status, json]).toMatchObject([200, 403, { error: { code: 'insufficient_role' } }])
  }
  await forgetProof(server.api, lamps.owner)
  const { status, json } = await change(lamps, { notes: 'x' })
  expect([status, json]).toMatchObject([403, { error: { code: 'step_up_required' } }])
})

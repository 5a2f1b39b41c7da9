import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { connect as dial } from 'node:net'
import { Writable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import pino from 'pino'
import { readFeed } from '../../src/actors/feed.ts'
import type { ExportTimes } from '../../src/http/export-runs.ts'
import { exportRoutes } from '../../src/http/exports/routes.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { openSnapshot, type Snapshot } from '../../src/postgres/snapshot.ts'
import { takeExportSlot } from '../../src/queries/exports.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { copyPayments, exportCalls, wide } from './export-calls.ts'
import { exportSessions } from './export-sessions.ts'
import { makePayment } from './payments.ts'
import { member, shop } from './people.ts'
import { hasLastChunk, isBegun, type RawRequest, rawResponse } from './raw-response.ts'
import type { Asked } from './two-shops.ts'

/** Everything that the server logs. */
let logged = ''
const log = pino(
  { level: 'trace' },
  new Writable({
    write: (line, _, done) => {
      logged += line
      done()
    },
  }),
)
const routes = [...exportRoutes, ...paymentRoutes]
// Without an audit at the end: the copies of payments have no history.
const server: ApiServer = await apiServer({ routes, env: { CHECKOUT_RATE_LIMIT: '0' }, outside: { log } })
afterAll(() => server[Symbol.asyncDispose]())
const { api, sql } = server
const lamps = await shop(api)
const ask = async (method: string, path: string, { path: at = '', ...asked }: Asked = {}) => {
  const answer = await server.call(method, `${at}${path}`, asked)
  return { ...answer, error: Object(answer.json).error }
}
const { get, records, post } = exportCalls({ lamps, ask })
const mode = { merchantId: lamps.merchantId, livemode: false }
const one = await makePayment(api, mode, 'success')
const PAYMENTS = 16_001
await copyPayments({ server }, one.actor, PAYMENTS - 1)

const headers = { authorization: `Bearer ${lamps.owner.bearer}` }
/** An export whose reader does not go on by itself. */
const begin = async (format = 'ndjson') => {
  const leaving = new AbortController()
  const url = `${server.url}${lamps.path}/exports/payments.${format}?${new URLSearchParams(wide)}`
  const response = await fetch(url, { headers, signal: leaving.signal })
  return { response, leave: () => leaving.abort() }
}
const { sessions, noSessions, untilItWaits } = exportSessions(sql)

const untilLost = ({ requireOpen }: Snapshot) =>
  until(() => {
    try {
      requireOpen()
      return false
    } catch {
      return true
    }
  })

/** Slots that other processes have taken. */
const taken: Snapshot[] = []
const takeSlot = async (merchantId = lamps.merchantId) => {
  const snapshot = await openSnapshot(server.databaseUrl, { name: 'paymachine export', idleMs: 60_000 })
  taken.push(snapshot)
  return { got: await takeExportSlot(snapshot.sql, merchantId), snapshot }
}
afterEach(async () => {
  for (const { end } of taken.splice(0)) await end()
  await noSessions()
})

describe('the snapshot', () => {
  test('an export has the records of its beginning, whatever happens while it is read', async () => {
    let added = ''
    const bytes = await rawResponse({
      ...{ url: server.url, path: `${lamps.path}/exports/payments.ndjson?${new URLSearchParams(wide)}` },
      bearer: lamps.owner.bearer,
      meanwhile: async () => {
        await untilItWaits()
        await sql`update payments set customer_name = 'Changed' where merchant_id = ${lamps.merchantId}`
        const made = await makePayment(api, mode, 'success')
        added = made.id
        await sql`delete from payments where id = ${made.actor}`
      },
    })
    expect(hasLastChunk(bytes)).toBe(true)
    const text = bytes.toString()
    expect(text.split('"object":"payment"').length - 1).toBe(PAYMENTS)
    expect(text).not.toContain('Changed')
    expect([added.length > 0, text.includes(added)]).toEqual([true, false])
    const again = await records('payments')
    expect([again.length, again.every(each => each.customerName === 'Changed')]).toEqual([PAYMENTS, true])
  }, 60_000)

  test('two exports of a range that is over are the same', async () => {
    const [first, second] = [await get('payments.csv'), await get('payments.csv')]
    expect(first.text.split('\r\n').length).toBe(PAYMENTS + 2)
    expect(first.text === second.text).toBe(true)
  }, 60_000)

  test('an export that is not read does not hold back the readers of the feed', async () => {
    let actor = ''
    const reading = rawResponse({
      ...{ url: server.url, path: `${lamps.path}/exports/payments.csv?${new URLSearchParams(wide)}` },
      bearer: lamps.owner.bearer,
      meanwhile: () => until(() => actor !== ''),
    })
    await untilItWaits()
    const made = await makePayment(api, mode, 'success')
    await until(async () => (await readFeed(sql, null, 100_000)).some(each => each.actor === made.actor))
    const [held] = await sql<{ writers: number; snapshots: number }[]>`
      select count(backend_xid)::integer as writers, count(backend_xmin)::integer as snapshots from pg_stat_activity
      where application_name = 'paymachine export' and datname = current_database()`
    // It has a snapshot, which vacuum respects, and no transaction ID, for which feeds would wait.
    expect(held).toEqual({ writers: 0, snapshots: 1 })
    await sql`delete from payments where id = ${made.actor}`
    actor = made.actor
    expect(hasLastChunk(await reading)).toBe(true)
  }, 60_000)

  test('Postgres ends the session of a process that is frozen', async () => {
    const snapshot = await openSnapshot(server.databaseUrl, { name: 'paymachine export', idleMs: 300 })
    expect(await takeExportSlot(snapshot.sql, lamps.merchantId)).toBe(true)
    await noSessions()
    await untilLost(snapshot)
    expect(snapshot.requireOpen).toThrow('connection of the snapshot was lost')
    await snapshot.end()
  })

  test('a connection that was lost is not replaced: statements of another session would see the present', async () => {
    const { snapshot } = await takeSlot()
    const [session] = await sessions()
    await sql`select pg_terminate_backend(${session?.pid ?? 0})`
    await untilLost(snapshot)
    const outcome = await snapshot.sql`select 1 as one`.then(
      () => 'answered',
      ({ code }) => code,
    )
    expect(outcome).toBe('CONNECTION_ENDED')
  })
})

describe('two at a time', () => {
  const refused = async () => {
    const answer = await get('payments.csv')
    return [answer.status, answer.error?.code, answer.headers.get('retry-after')]
  }

  test('a third one is refused with Retry-After, in whatever processes the two are', async () => {
    expect((await takeSlot()).got).toBe(true)
    expect((await get('payments.csv')).status).toBe(200)
    await until(async () => (await sessions()).length === 1)
    const second = await takeSlot()
    expect(second.got).toBe(true)
    expect((await takeSlot()).got).toBe(false)
    expect(await refused()).toEqual([429, 'rate_limited', '10'])
    const created = await post({ kind: 'payments', format: 'csv', ...wide })
    expect([created.status, created.headers.get('retry-after')]).toEqual([429, '10'])
    // Another merchant has slots of its own.
    expect((await takeSlot(crypto.randomUUID())).got).toBe(true)
    await second.snapshot.end()
    await until(async () => (await get('payments.csv')).status === 200)
  }, 60_000)

  test('two slots are free again when their sessions are killed', async () => {
    expect([(await takeSlot()).got, (await takeSlot()).got]).toEqual([true, true])
    expect((await refused())[0]).toBe(429)
    for (const { pid } of await sessions()) await sql`select pg_terminate_backend(${pid})`
    await until(async () => (await get('payments.csv')).status === 200)
  }, 60_000)

  test('of sixteen callers two get the file', async () => {
    const begun = await Promise.all(Array.from({ length: 16 }, () => begin()))
    const statuses = begun.map(({ response }) => response.status)
    // The process runs eight at a time, whose they are.
    expect(statuses.filter(status => status === 200).length).toBe(2)
    expect(statuses.every(status => [200, 429, 503].includes(status))).toBe(true)
    for (const { leave } of begun) leave()
    await noSessions()
    expect((await get('payments.csv')).status).toBe(200)
  }, 60_000)

  test('an export that is refused or has failed before its beginning takes no slot', async () => {
    for (let n = 0; n < 5; n++)
      expect((await get('payments.csv', { from: '2026-01-01', to: '2020-01-01' })).status).toBe(400)
    for (let n = 0; n < 3; n++) {
      const { leave } = await begin()
      leave()
      await noSessions()
    }
    expect((await get('payments.csv')).status).toBe(200)
  }, 60_000)
})

describe('a download', () => {
  type Download = { readonly url: string; readonly expiresAt: string }
  const created = async (
    json: object = { kind: 'payments', format: 'csv', ...wide },
    asked?: Asked,
    query?: string,
  ) => {
    const answer = await post(json, asked, query)
    expect([answer.status, answer.error]).toEqual([201, undefined])
    const { url, expiresAt } = answer.json as Download
    return { ...(answer.json as Download), path: new URL(url).pathname, expiresAt }
  }
  const open = (path: string) => server.call('GET', path)
  const few = { from: '2020-01-01', to: '2020-01-02' }

  test('has the same file as the export, once, without an access token', async () => {
    const { path, expiresAt } = await created({
      kind: 'payments',
      format: 'csv',
      ...wide,
      status: ['success'],
      bom: true,
    })
    const until = Date.parse(expiresAt) - Date.now()
    expect([until > 50_000, until < 65_000]).toEqual([true, true])
    const [row] = await sql<{ text: string }[]>`select t::text as text from export_tickets t`
    expect(row?.text).not.toContain(path.split('/').at(-1))
    const answer = await open(path)
    expect(answer.status).toBe(200)
    const days = `${wide.from.slice(0, 10)}-${wide.to.slice(0, 10)}`
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="payments-${days}-test.csv"`,
      'cache-control': 'no-store',
    })
    expect(answer.text).toBe((await get('payments.csv', { status: 'success', bom: 'true' })).text)
    expect((await open(path)).status).toBe(404)
    expect(await sql`select from export_tickets`).toHaveLength(0)
    const entries = await sql<{ actor: string; address: string }[]>`
      select actor, address from security_events where action = 'export.created' order by seq desc limit 2`
    expect(entries[1]).toEqual({ actor: lamps.owner.id, address: '127.0.0.1' })
  }, 60_000)

  test('has a byte order mark for Excel only if it is requested', async () => {
    const bytes = async (query: Readonly<Record<string, string>>) => {
      const url = `${server.url}${lamps.path}/exports/customers.csv?${new URLSearchParams({ ...few, ...query })}`
      return [...new Uint8Array(await (await fetch(url, { headers })).arrayBuffer())].slice(0, 6)
    }
    expect(await bytes({ bom: 'true' })).toEqual([0xef, 0xbb, 0xbf, ...Buffer.from('obj')])
    expect(await bytes({})).toEqual([...Buffer.from('object')])
  })

  test('is of the mode of its creation, and its file is named after it', async () => {
    const live = await created({ kind: 'customers', format: 'ndjson', ...few }, {}, '?livemode=true')
    const answer = await open(live.path)
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="customers-2020-01-01-2020-01-01.ndjson"',
    )
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    const [entry] = await sql<{ details: object }[]>`
      select details from security_events where action = 'export.created' order by seq desc limit 1`
    expect(entry?.details).toMatchObject({ kind: 'customers', livemode: true })
  })

  test('64 callers open it: one gets the file', async () => {
    const entriesOf = () => sql`
      select from security_events where action = 'export.created' and details->>'kind' = 'customers'`
    const before = (await entriesOf()).length
    const { path } = await created({ kind: 'customers', format: 'csv', ...few })
    const answers = await Promise.all(Array.from({ length: 64 }, () => open(path)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 200).length).toBe(1)
    // Two of the merchant run at a time, and eight of the process.
    expect(statuses.every(status => [200, 404, 429, 503].includes(status))).toBe(true)
    expect((await open(path)).status).toBe(404)
    expect((await entriesOf()).length).toBe(before + 1)
    // It does not appear in the log, at any level.
    expect(logged).toContain('/v1/exports/:token')
    expect(logged).not.toContain(path.split('/').at(-1))
  })

  test('is not used up by HEAD, nor by a request that is refused', async () => {
    const { path } = await created({ kind: 'customers', format: 'csv', ...few })
    const entriesOf = () => sql`select from security_events where action = 'export.created'`
    const before = (await entriesOf()).length
    const head = await server.call('HEAD', path)
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([
      ...[200, '', 'text/csv; charset=utf-8; header=present'],
    ])
    expect((await server.call('HEAD', `/v1/exports/${'x'.repeat(43)}`)).status).toBe(404)
    expect([(await takeSlot()).got, (await takeSlot()).got]).toEqual([true, true])
    const refused = await open(path)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    for (const { end } of taken.splice(0)) await end()
    await noSessions()
    expect((await entriesOf()).length).toBe(before)
    const answer = await open(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, head.headers.get('content-type')])
    expect((await open(path)).status).toBe(404)
  })

  test('HEAD of an export starts none, and finds what is refused', async () => {
    const entriesOf = () => sql`select from security_events where action = 'export.created'`
    const before = (await entriesOf()).length
    const head = async (query: object) => {
      const url = `${lamps.path}/exports/payments.csv?${new URLSearchParams({ ...query })}`
      return (await server.call('HEAD', url, { bearer: lamps.owner.bearer })).status
    }
    expect([await head(wide), await head({ from: '2026-01-02', to: '2026-01-01' })]).toEqual([200, 400])
    expect([(await entriesOf()).length, (await sessions()).length]).toEqual([before, 0])
  })

  test('is gone after a minute, after the session has ended, and after the role was lost', async () => {
    const old = await created()
    await sql`update export_tickets set expires_at = now() - interval '1 ms'`
    expect((await open(old.path)).status).toBe(404)
    const developer = await member(api, lamps, 'developer')
    const lost = await created({ kind: 'payments', format: 'csv', ...wide }, { bearer: developer.bearer })
    await sql`update members set role = 'viewer' where account_id = ${developer.accountId}`
    expect((await open(lost.path)).status).toBe(404)
    const other = await member(api, lamps, 'developer')
    const ended = await created({ kind: 'payments', format: 'csv', ...wide }, { bearer: other.bearer })
    await sql`update sessions set ended_at = now() where account_id = ${other.accountId}`
    expect((await open(ended.path)).status).toBe(404)
    for (const token of ['x', 'x'.repeat(43), '%00']) expect((await open(`/v1/exports/${token}`)).status).toBe(404)
  })

  test.each<[json: object, code: string, param: string]>([
    [{}, 'parameter_missing', 'format'],
    [{ kind: 'events', format: 'csv', ...wide }, 'parameter_invalid', 'kind'],
    [{ kind: 'payments', ...wide }, 'parameter_missing', 'format'],
    [{ kind: 'payments', format: 'xlsx', ...wide }, 'parameter_invalid', 'format'],
    [{ kind: 'payments', format: 'csv', from: few.from }, 'parameter_missing', 'to'],
    [{ kind: 'payments', format: 'csv', from: '2020-01-02', to: '2020-01-01' }, 'parameter_invalid', 'to'],
    [{ kind: 'payments', format: 'csv', ...few, overdue: true }, 'parameter_unknown', 'overdue'],
    [{ kind: 'payments', format: 'csv', ...few, livemode: true }, 'parameter_unknown', 'livemode'],
    [{ kind: 'payments', format: 'csv', ...few, status: ['x'] }, 'parameter_invalid', 'status'],
    [{ kind: 'payments', format: 'csv', ...few, status: 7 }, 'parameter_invalid', 'status'],
    [{ kind: 'payments', format: 'csv', ...few, q: ['a', 'b'] }, 'parameter_invalid', 'q'],
    [{ kind: 'payments', format: 'ndjson', ...few, bom: true }, 'parameter_unknown', 'bom'],
    [{ kind: 'balances', format: 'csv', ...few }, 'parameter_unknown', 'from'],
  ])('400: %j', async (json, code, param) => {
    const answer = await post(json)
    expect([answer.status, answer.error?.code, answer.error?.param]).toEqual([400, code, param])
  })

  test('filters that are false are not set, and one text stands for a list of one', async () => {
    const { path } = await created({ kind: 'payments', format: 'ndjson', ...wide, attention: false, status: 'expired' })
    expect((await open(path)).text).toBe('')
  })
})

describe('what comes over the wire', () => {
  const path = `${lamps.path}/exports/payments.csv?${new URLSearchParams(wide)}`
  const raw = (more: Pick<RawRequest, 'accept' | 'meanwhile'>) =>
    rawResponse({ url: server.url, path, bearer: lamps.owner.bearer, ...more })

  test.each([undefined, 'gzip'])(
    'a whole file has its last chunk, with Accept-Encoding %s',
    async accept => {
      const bytes = await raw({ accept })
      expect(isBegun(bytes)).toBe(true)
      expect(hasLastChunk(bytes)).toBe(true)
      if (accept === undefined) return
      const response = await fetch(`${server.url}${path}`, {
        headers: { ...headers, 'accept-encoding': accept },
        decompress: false,
      } as never)
      expect(response.headers.get('content-encoding')).toBe('gzip')
      const whole = gunzipSync(await response.arrayBuffer()).toString()
      expect(whole === (await get('payments.csv')).text).toBe(true)
    },
    60_000,
  )

  const breaks: Readonly<Record<string, () => Promise<unknown>>> = {
    'the session in Postgres is killed': async () => {
      await untilItWaits()
      for (const { pid } of await sessions()) await sql`select pg_terminate_backend(${pid})`
    },
    'the server stops': async () => {
      await untilItWaits()
      api.exportRuns.stop()
    },
  }
  test.each(Object.keys(breaks).flatMap(what => [undefined, 'gzip'].map(accept => [what, accept] as const)))(
    'an export has no last chunk when %s, with Accept-Encoding %s',
    async (what, accept) => {
      const bytes = await raw({ accept, meanwhile: breaks[what] })
      expect(isBegun(bytes)).toBe(true)
      expect(hasLastChunk(bytes)).toBe(false)
      await noSessions()
      expect(logged).toContain('export broken off')
    },
    60_000,
  )

  const ends: readonly (readonly [outcome: string, times: ExportTimes])[] = [
    ['took too long', { mostMs: 700 }],
    ['client does not read', { unreadMs: 500 }],
  ]
  test.each(ends)(
    'an export whose reader has stopped is broken off: %s',
    async (outcome, exportTimes) => {
      await using slow = await apiServer({ routes, exportTimes, outside: { log } })
      const there = await shop(slow.api)
      const { actor } = await makePayment(slow.api, { merchantId: there.merchantId, livemode: false }, 'success')
      await copyPayments({ server: slow }, actor, PAYMENTS)
      const socket = dial(Number(new URL(slow.url).port), '127.0.0.1')
      const pieces: Buffer[] = []
      const closed = new Promise(resolve => socket.once('close', resolve))
      socket.on('error', () => {}).on('data', piece => pieces.push(piece))
      const to = `${there.path}/exports/payments.csv?${new URLSearchParams(wide)}`
      socket.write(`GET ${to} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${there.owner.bearer}\r\n\r\n`)
      socket.once('data', () => socket.pause())
      await until(() => logged.includes(`"outcome":"${outcome}"`))
      await exportSessions(slow.sql).noSessions()
      socket.resume()
      await closed
      expect(hasLastChunk(Buffer.concat(pieces))).toBe(false)
    },
    60_000,
  )

  test('an export that is read slowly is not broken off', async () => {
    await using patient = await apiServer({ routes, exportTimes: { unreadMs: 400 } })
    const run = await patient.api.exportRuns.begin(crypto.randomUUID())
    const made = async function* () {
      for (let n = 0; n < 5; n++) yield new Uint8Array([n])
    }
    const about = { requestId: '', merchantId: '', kind: 'payments', format: 'csv' }
    const reader = run.stream(made(), about).getReader()
    const read: number[] = []
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      read.push(...piece.value)
      await new Promise(resolve => setTimeout(resolve, 150))
    }
    expect(read).toEqual([0, 1, 2, 3, 4])
    await exportSessions(patient.sql).noSessions()
  })

  test('a client that has left before the response begins takes no slot', async () => {
    await using busy = await apiServer({ routes })
    const there = await shop(busy.api)
    const { noSessions: allOver, sessions: running } = exportSessions(busy.sql)
    const locking = await openSnapshot(busy.databaseUrl, { name: 'paymachine test', idleMs: 60_000 })
    await locking.sql`commit`
    await locking.sql.unsafe('begin; lock table security_events in access exclusive mode')
    const socket = dial(Number(new URL(busy.url).port), '127.0.0.1').on('error', () => {})
    const to = `${there.path}/exports/payments.csv?${new URLSearchParams(wide)}`
    socket.write(`GET ${to} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${there.owner.bearer}\r\n\r\n`)
    // It waits for the audit log.
    await until(async () => (await running()).length === 1)
    await until(async () => (await busy.sql`select from pg_locks where not granted`).length > 0)
    socket.destroy()
    await locking.end()
    await until(async () => (await busy.sql`select from security_events where action = 'export.created'`).length === 1)
    await allOver()
  }, 60_000)
})

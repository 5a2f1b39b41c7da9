import { afterAll, expect, test } from 'bun:test'
import { snakeCase } from '../../../src/actors/kind.ts'
import { routes } from '../../../src/http/routes.ts'
import { decodeId, encodeId } from '../../../src/ids.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { eventMarks, isForOperators } from '../../../src/kinds/event-marks.ts'
import { type MachineName, machineNames, resources } from '../../../src/resources.ts'
import { insertKey } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { events } from '../../harness/events.ts'
import { until } from '../../harness/until.ts'
import { subjects } from '../../kinds/subjects.ts'
import { makePayment } from '../payments.ts'
import { operator, shop } from '../people.ts'
import { fixtureOf } from '../records.ts'
import { openSocket } from './inspecting.ts'

const server = await apiServer({ routes, env: { API_RATE_LIMIT_LIVE: '0' } })
afterAll(() => server[Symbol.asyncDispose]())
const lamps = await shop(server.api)
await insertKey(server.sql, lamps)
const { bearer, email } = await operator(server.api)

const marked = (field: string) => `MARKED-${field}-anna@lamps.example`

/** The text and JSON fields that histories and operators do not see, as `payment.customerEmail`. */
const hidden = kinds.flatMap(({ name, table, columns, history }) =>
  Object.entries(columns).flatMap(([field, type]) =>
    history.includes(field) || (type !== 'text' && type !== 'json')
      ? []
      : [{ name: `${name}.${field}`, table, column: snakeCase(field), isJson: type === 'json' }],
  ),
)

/** Without the checks of the tables, so that every field takes the value. */
const dropChecks = async () => {
  const found = await server.sql<{ table: string; name: string }[]>`
    select conrelid::regclass::text as "table", conname as name from pg_constraint
    where contype = 'c' and conrelid::regclass::text = any(${[...kinds.map(({ table }) => table), 'webhook_endpoints', 'merchants']})`
  for (const { table, name } of found) await server.sql.unsafe(`alter table ${table} drop constraint ${name}`)
  // All rows of a table get the same.
  await server.sql`drop index customers_reference_once, invoices_token_once`
}

/** Each hidden field of every row has a marked value; the result is the number of rows by field. */
const markFields = async (): Promise<Readonly<Record<string, number>>> => {
  const done: Record<string, number> = {}
  for (const { name, table, column, isJson } of hidden) {
    const value = isJson ? JSON.stringify([marked(name), { [marked(name)]: marked(name) }]) : marked(name)
    const type = isJson ? 'jsonb' : 'text'
    const { count } = await server.sql.unsafe(`update ${table} set ${column} = $1::text::${type}`, [value])
    done[name] = count
  }
  return done
}

/** What belongs to the actors in other tables. */
const markOthers = async () => {
  const json = JSON.stringify({ a: marked('json') })
  await server.sql`update api_keys set name = ${marked('key')}`
  await server.sql`update merchants set name = ${marked('merchant')}`
  await server.sql`update events set object = ${json}`
  await server.sql`update webhook_endpoints set url = ${`https://lamps.example/${marked('url')}`}, description = ${marked('endpoint')}`
  await server.sql`
    insert into delivery_attempts (
      delivery_id, number, trigger, worker, started_at, finished_at, duration_ms, outcome, http_status, response_snippet,
      response_headers)
    select id, 77, 'manual', gen_random_uuid(), now(), now(), 7, 'http_error', 500, ${marked('snippet')}, ${json}::text::json
    from deliveries`
}

/** An actor of every kind, and payments in several states. */
const makeActors = async (): Promise<readonly string[]> => {
  const ids: string[] = []
  for (const name of machineNames) {
    const path = `/v1/merchants/:merchantId/${resources[name].path}/:id`
    const made = await fixtureOf({ method: 'GET', path })?.make(server.api, lamps, false)
    expect([name, typeof made]).toEqual([name, 'string'])
    if (made) ids.push(made)
  }
  for (const situation of ['picked', 'late', 'success'])
    ids.push((await makePayment(server.api, { merchantId: lamps.merchantId, livemode: false }, situation)).id)
  return ids
}

/** Every path of this surface that is read, other than streams, which a route that is added later joins by itself. */
const paths = routes.flatMap(({ method, path, access, docs }) =>
  method === 'GET' &&
  access.by === 'operator' &&
  typeof docs?.answers[200] === 'object' &&
  !('events' in Object(docs.answers[200]))
    ? [path]
    : [],
)

const read = async (ids: readonly string[]): Promise<readonly string[]> => {
  const audit = (await fixtureOf({ method: 'GET', path: '/v1/ops/audits/:id' })?.make(server.api, lamps, false)) ?? ''
  const get = async (path: string) => (await server.call('GET', path, { bearer })).text
  const asked = paths.flatMap(path => {
    if (path.endsWith('/:kind')) return machineNames.map(name => path.replace(':kind', name))
    if (path === '/v1/ops/audits/:id') return [path.replace(':id', audit)]
    return path.includes(':id') ? ids.map(id => path.replace(':id', id)) : [path]
  })
  const more = ['/v1/ops/transitions?limit=100', ...ids.map(id => `/v1/ops/search?q=${id}`)]
  return Promise.all([...asked, ...more].map(get))
}

/** Everything that the stream of transitions sends, from the first transition on. */
const streamed = async (): Promise<string> => {
  const [{ count } = { count: 0 }] = await server.sql<{ count: number }[]>`
    select count(*)::integer as count from transitions`
  const headers = { authorization: `Bearer ${bearer}`, 'last-event-id': '0.0.0' }
  const stream = await events(`${server.url}/v1/ops/transitions/stream`, headers)
  const found = []
  while (found.length < count) found.push(await stream.next())
  stream.leave()
  return found.map(each => JSON.stringify(each)).join('\n')
}

/** As JSON: large integers as strings. */
const asJson = (event: object): object =>
  JSON.parse(JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? String(value) : value)))

const kindOf = (id: string): MachineName =>
  machineNames.find(name => decodeId(resources[name].prefix, id) !== undefined) ?? expect.unreachable(id)

/** Each event that the machine's tests know, and each that has a mark. */
const preview = async (ids: readonly string[]) => {
  const answers: { readonly status: number; readonly text: string }[] = []
  for (const id of ids) {
    const name = kindOf(id)
    const known = Object.values(subjects.find(({ kind }) => kind.name === name)?.subject.events ?? {}).map(asJson)
    const bare = Object.keys(eventMarks[name]).map(type => ({ type }))
    for (const { type, ...payload } of [...known, ...bare] as readonly { readonly type: string }[])
      answers.push(await server.call('POST', `/v1/ops/actors/${id}/preview`, { bearer, json: { type, payload } }))
  }
  return answers
}

const send = async (ids: readonly string[]) => {
  const answers: { readonly status: number; readonly text: string }[] = []
  for (const id of ids)
    for (const type of Object.keys(eventMarks[kindOf(id)]).filter(event => isForOperators(kindOf(id), event, false)))
      answers.push(await server.call('POST', `/v1/ops/actors/${id}/events`, { bearer, json: { type, reason: 'x' } }))
  return answers
}

const statusesOf = (answers: readonly { readonly status: number }[]) =>
  [...new Set(answers.map(({ status }) => status))].sort()

test('marked values in every field of every kind, e-mail addresses and names of keys appear in no answer', async () => {
  const ids = await makeActors()
  // A member, an API key and an operator did it.
  const [key] = await server.sql<{ id: string }[]>`select id from api_keys limit 1`
  for (const cause of [lamps.owner.id, encodeId('key', key?.id ?? ''), `operator:${lamps.owner.id}`])
    await server.sql`
      update transitions set cause = ${`${cause} ${crypto.randomUUID()}`}
      where (actor, rev) = (select actor, rev from transitions where cause is null limit 1)`
  await dropChecks()
  await markOthers()
  const rows = await markFields()
  expect(Object.keys(rows).filter(name => rows[name] === 0)).toEqual([])
  expect(Object.keys(rows)).toEqual(hidden.map(({ name }) => name))
  expect(Object.keys(rows)).toContain('payment.customerEmail')

  const { messages, socket } = await openSocket(server, bearer)
  await until(() =>
    ids.every(id => messages.some(({ type, sessionId }) => type === '@xstate.actor' && sessionId === id)),
  )
  const before = await read(ids)
  const previews = await preview(ids)
  const sent = await send(ids)
  const after = [...(await read(ids)), await streamed()]
  const moved = sent.filter(({ status }) => status === 200).length
  await until(() => messages.filter(({ type }) => type === '@xstate.event').length >= moved)
  socket.close()

  // Each part says something, so that the marks could be in it.
  expect(paths).toContain('/v1/ops/actors/:id/story')
  expect(statusesOf(previews)).toEqual(expect.arrayContaining([200, 409]))
  expect(statusesOf(sent)).toEqual([200, 409])
  expect(after.join('').length).toBeGreaterThan(20_000)
  expect(messages.some(({ type }) => type === '@xstate.snapshot')).toBe(true)
  const answers = [...before, ...after, ...[...previews, ...sent].map(({ text }) => text), JSON.stringify(messages)]
  const secrets = ['MARKED', email, lamps.owner.email, 'no hash', '@lamps', '@example']
  for (const secret of secrets) expect(answers.filter(text => text.includes(secret))).toEqual([])
})

import { afterAll, expect, test } from 'bun:test'
import { routes } from '../../../src/http/routes.ts'
import { encodeId } from '../../../src/ids.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { machineNames, resources } from '../../../src/resources.ts'
import { insertKey } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { events } from '../../harness/events.ts'
import { subjects } from '../../kinds/subjects.ts'
import { operator, shop } from '../people.ts'
import { fixtureOf } from '../records.ts'

const server = await apiServer({ routes, env: { API_RATE_LIMIT_LIVE: '0' } })
afterAll(() => server[Symbol.asyncDispose]())
const lamps = await shop(server.api)
await insertKey(server.sql, lamps)
const { bearer, email } = await operator(server.api)

/** Fields that histories and operators may see; every other field of every kind is filled with a marked value. */
const marked = (field: string) => `MARKED-${field}-anna@lamps.example`

/**
 * Every text and JSON field of every row that is not shown holds a marked value, as far as constraints allow; the
 * result are the fields that could be marked.
 */
const markEverything = async (): Promise<readonly string[]> => {
  const done: string[] = []
  for (const { name, table, columns, history } of kinds)
    for (const [field, type] of Object.entries(columns)) {
      if (history.includes(field) || (type !== 'text' && type !== 'json')) continue
      const column = field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
      const value = type === 'json' ? JSON.stringify({ [marked(field)]: marked(field) }) : marked(field)
      const changed = await server.sql
        .unsafe(`update ${table} set ${column} = $1::text::${type === 'json' ? 'jsonb' : 'text'}`, [value])
        .then(({ count }) => count > 0)
        .catch(() => false)
      if (changed) done.push(`${name}.${field}`)
    }
  return done
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

/** Every answer of this surface that is about these actors. */
const answers = async (ids: readonly string[]): Promise<string> => {
  const get = async (path: string) => (await server.call('GET', path, { bearer })).text
  const texts = [await get('/v1/ops/machines'), await get('/v1/ops/transitions?limit=100'), await get('/v1/ops/stuck')]
  texts.push(await streamed())
  for (const name of machineNames) texts.push(await get(`/v1/ops/machines/${name}`))
  for (const id of ids) {
    const { possible } = JSON.parse(await get(`/v1/ops/actors/${id}`)) as { possible: { event: string }[] }
    texts.push(await get(`/v1/ops/actors/${id}`), await get(`/v1/ops/actors/${id}/transitions`))
    texts.push(await get(`/v1/ops/search?q=${id}`))
    for (const { event } of possible) {
      const json = { type: event, payload: { txHash: `0x${'1'.repeat(64)}`, attempt: 1, jitter: 0, evidence: {} } }
      texts.push((await server.call('POST', `/v1/ops/actors/${id}/preview`, { bearer, json })).text)
    }
  }
  return texts.join('\n')
}

test('marked values in every field of every kind, e-mail addresses and names of keys appear in no answer', async () => {
  const ids: string[] = []
  for (const { kind, subject } of subjects) {
    const name = machineNames.find(each => each === kind.name)
    if (!name) throw new Error(`${kind.name} is no machine`)
    const path = `/v1/merchants/:merchantId/${resources[name].path}/:id`
    const made = await fixtureOf({ method: 'GET', path })?.make(server.api, lamps, false)
    if (made) ids.push(made)
    expect([kind.name, Object.keys(subject.input).length > 0, made !== undefined]).toEqual([kind.name, true, true])
  }
  // A member did it, and an API key with a marked name.
  await server.sql`update api_keys set name = ${marked('name')}`
  const [key] = await server.sql<{ id: string }[]>`select id from api_keys limit 1`
  for (const cause of [lamps.owner.id, encodeId('key', key?.id ?? ''), `operator:${lamps.owner.id}:a reason`])
    await server.sql`
      update transitions set cause = ${cause}
      where (actor, rev) = (select actor, rev from transitions where cause is null limit 1)`
  const shown = await server.sql<{ cause: string | null }[]>`select cause from transitions`
  const done = await markEverything()
  for (const field of [
    ...['payment.customerEmail', 'payment.customerName', 'payment.metadata', 'payment_link.metadata'],
    ...['payment_link.title', 'payment_link.description', 'payment_link.successUrl', 'refund.metadata'],
    ...['dispute.uncategorizedText', 'dispute.customerCommunication', 'dispute.description'],
  ])
    expect(done).toContain(field)
  const text = await answers(ids)
  expect(text.length).toBeGreaterThan(10_000)
  expect(text).not.toContain('MARKED')
  for (const secret of [email, lamps.owner.email, 'no hash', '@']) expect(text).not.toContain(secret)
  // The marked values are in the rows, so the test would see them.
  expect(shown.length).toBeGreaterThan(3)
  const [{ rows } = { rows: '' }] = await server.sql<
    { rows: string }[]
  >`select string_agg(p::text, '') as rows from payments p`
  expect(rows).toContain(marked('customerEmail'))
})

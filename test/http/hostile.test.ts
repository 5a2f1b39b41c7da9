import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Type } from 'arktype'
import { openSession } from '../../src/commands/sessions.ts'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiServer, apiServer, type Called } from '../harness/api.ts'
import { readableLog } from '../harness/lines.ts'
import { operator, type Shop, shop } from './people.ts'
import { fixtureOf } from './records.ts'

const { log, lines } = readableLog()
let server: ApiServer
let here: Shop
let operatorBearer: string
let key: string

beforeAll(async () => {
  server = await apiServer({
    routes,
    env: { SIGN_UP: 'open', API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' },
    outside: { log },
  })
  here = await shop(server.api)
  operatorBearer = (await operator(server.api)).bearer
  key = (await insertKey(server.sql, { merchantId: here.merchantId })).secret
  const hash = await server.api.passwords.hash('tests', 'correct horse battery')
  await server.sql`update accounts set password_hash = ${hash} where id = ${here.owner.accountId}`
})
afterAll(() => server[Symbol.asyncDispose]())

/** Values sent to every field, whatever its meaning. */
// biome-ignore format: a list
const values: readonly unknown[] = [
  null, true, false, 0, -1, 1, 1.5, 72, 2 ** 31, 2 ** 53 - 1, 1e308, '', ' ', '0', '-1', '1e309', 'null', 'x', 'x'.repeat(300), 'x'.repeat(60_000),
  '\u0001', '\u202e', '\ufffe', '😀', '💣'.repeat(1_000), "' or 1=1 --", '%00', '../../etc', '{}', '[]', '2026-02-30T00:00:00.000Z', '+275760-09-13T00:00:00.001Z',
  '2999-01-01T00:00:00Z', 'owner', 'full', 'USD', '*', 'a@b.example', `${'a'.repeat(64)}@${'b'.repeat(180)}.example`, '12345678901', 'https://a.example', 'javascript:alert(1)',
  '0x52908400098527886E0F7030069857D2E4169EE7', `0x${'0'.repeat(40)}`, [], [[]], [null], ['*'], Array.from({ length: 5_000 }, () => '*'), {}, { a: 1 }, { '': '' }, { constructor: {} }, { '1': null }, { '1': 1 },
  { '9007199254740993': '0x52908400098527886E0F7030069857D2E4169EE7' }, { toString: 'x' }, { length: -1 },
]

const texts = values.filter(value => typeof value === 'string').filter(text => text.length < 1_000)

const fieldsOf = (declared: Type | undefined): string[] => {
  const { props = [] } = (declared ?? {}) as { props?: readonly { key: string }[] }
  return props.map(({ key }) => key)
}

let calls = 0
const nameOf = ({ method, path }: Route) => `${method} ${path}`

const send = async (route: Route, body: object, more: Readonly<Record<string, string>> = {}): Promise<Called> => {
  const fixture = fixtureOf(route)
  const id = (await fixture?.make(server.api, here, false)) ?? ''
  const path = route.path.replace(':merchantId', here.path.split('/').at(-1) ?? '').replace(/:\w+/, id)
  const bearer = await bearerFor(route)
  const query = new URLSearchParams({ ...fixture?.query, ...more })
  return server.call(route.method, query.size > 0 ? `${path}?${query}` : path, {
    // Each request has its own address; otherwise the rate limits would answer.
    headers: {
      'x-forwarded-for': `10.${++calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
      ...fixture?.headers?.(id),
      ...(route.method === 'POST' && route.access.by !== 'anybody' && { 'idempotency-key': `hostile ${calls}` }),
    },
    ...(bearer && { bearer }),
    ...(route.method !== 'GET' && { json: body }),
  })
}

/** Requests about the caller's own session may end it, so each of them gets its own session. */
const bearerFor = async ({ access }: Route): Promise<string | undefined> => {
  if (access.by === 'anybody') return undefined
  if (access.by === 'key') return key
  if (access.by === 'member') return here.owner.bearer
  if (access.by === 'operator') return operatorBearer
  const { accessToken } = await openSession(server.api, here.owner.accountId, {
    address: '',
    network: '',
    userAgent: null,
  })
  return accessToken
}

const paramOf = ({ json }: Called) => (json as { error?: { param?: string } } | undefined)?.error?.param

/** A body that the route accepts, as far as values of the list allow. */
const discover = async (route: Route): Promise<Record<string, unknown>> => {
  const body: Record<string, unknown> = { ...fixtureOf(route)?.body }
  const triedValues: Record<string, number> = {}
  for (;;) {
    const answer = await send(route, body)
    const refusedParam = answer.status === 400 ? paramOf(answer)?.split('.')[0] : undefined
    const next = refusedParam === undefined ? undefined : (triedValues[refusedParam] ?? 0)
    if (refusedParam === undefined || next === undefined || next === values.length) return body
    body[refusedParam] = values[next]
    triedValues[refusedParam] = next + 1
  }
}

test.each(routes.map(route => [nameOf(route), route] as const))(
  '%s answers any value of any field without an internal error',
  async (_, route) => {
    const validBody = await discover(route)
    // Otherwise the fields are refused before the handler sees them.
    expect((await send(route, validBody)).status).not.toBe(400)
    const faults: string[] = []
    const note = async (what: string, value: unknown, answer: Promise<Called>) => {
      const { status, headers } = await answer
      // Without a sandbox, 503 is the answer to a good request.
      if (status < 500 || status === fixtureOf(route)?.status) return
      const line = lines().find(one => one.requestId === headers.get('request-id') && one.level > 30)
      faults.push(`${what} = ${JSON.stringify(value).slice(0, 80)}: ${status} ${JSON.stringify(line?.fault)}`)
    }
    for (const field of fieldsOf(route.body))
      await Promise.all(values.map(value => note(field, value, send(route, { ...validBody, [field]: value }))))
    for (const field of fieldsOf(route.query))
      await Promise.all(texts.map(text => note(`?${field}`, text, send(route, validBody, { [field]: text }))))
    expect(faults).toEqual([])
  },
)

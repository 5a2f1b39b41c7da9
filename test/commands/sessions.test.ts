import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { makeRefreshToken, parseRefreshToken, successorsOf } from '../../src/access/refresh-token.ts'
import { openSession, refreshSession } from '../../src/commands/sessions.ts'
import type { Api } from '../../src/http/api.ts'
import { openKeyring } from '../../src/keyring.ts'
import { elsewhere } from '../access/elsewhere.ts'
import { apiServer, SECRET_KEY } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { person } from '../http/people.ts'

const from = { address: '192.0.2.1', network: '192.0.2.1', userAgent: 'a browser' }

const tokenIn = (cookie: string) => /^paymachine_refresh=([^;]*)/.exec(cookie)?.[1] ?? ''

const start = async () => {
  const server = await apiServer({ routes: [] })
  const { accountId } = await person(server.api, 'anna@lamps.example')
  const { cookie } = await openSession(server.api, accountId, from)
  const token = tokenIn(cookie)
  const sessionId = parseRefreshToken(token)?.sessionId ?? ''
  return { ...server, accountId, token, sessionId }
}

const refresh = async (api: Api, token: string) => tokenIn((await refreshSession(api, token, from)).cookie)

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'fine',
    error => error.code,
  )

/** As if it had happened this many seconds earlier. */
const age = (server: { api: Api; sessionId: string }, seconds: number) => server.api.sql`
  update sessions set rotated_at = rotated_at - make_interval(secs => ${seconds}),
    last_used_at = last_used_at - make_interval(secs => ${seconds})
  where id = ${server.sessionId}`

test('a refresh returns an access token of the same session and a new refresh token', async () => {
  await using server = await start()
  const tokens = await refreshSession(server.api, server.token, from)
  const found = await server.api.sessions.find(tokens.accessToken)
  expect(found?.session).toMatchObject({ accountId: server.accountId, sessionId: server.sessionId })
  expect(tokens.expiresIn).toBe(900)
  expect(tokens.cookie).toEndWith('; Path=/v1/auth; Max-Age=2592000; HttpOnly; SameSite=Strict')
  const third = await refresh(server.api, tokenIn(tokens.cookie))
  expect(new Set([server.token, tokenIn(tokens.cookie), third]).size).toBe(3)
})

test('twenty tabs that refresh at the same time in two processes all get the same new token', async () => {
  await using server = await start()
  await using other = elsewhere(server.sql)
  const there = { ...server.api, sql: other.sql }
  const tabs = Array.from({ length: 20 }, (_, i) => refresh(i % 2 ? server.api : there, server.token))
  const newTokens = new Set(await Promise.all(tabs))
  expect(newTokens.size).toBe(1)
  expect(newTokens.has(server.token)).toBe(false)
})

test('a caller whose response was lost gets the same one again for ten seconds', async () => {
  await using server = await start()
  const lost = await refresh(server.api, server.token)
  await age(server, 9)
  expect(await refresh(server.api, server.token)).toBe(lost)
  await age(server, 1.5)
  expect(await code(refresh(server.api, server.token))).toBe('invalid_token')
})

test('a refresh token used again after ten seconds ends the session for all its holders', async () => {
  await using server = await start()
  const { accessToken, cookie } = await refreshSession(server.api, server.token, from)
  expect(await server.api.sessions.find(accessToken)).toBeDefined()
  await age(server, 10.5)
  expect(await code(refresh(server.api, server.token))).toBe('invalid_token')
  expect(await server.api.sessions.find(accessToken)).toBeUndefined()
  expect(await code(refresh(server.api, tokenIn(cookie)))).toBe('invalid_token')
  const events = await server.sql`select action, address from security_events where action = 'session.replayed'`
  expect([...events]).toEqual([{ action: 'session.replayed', address: '192.0.2.1' }])
})

test('the token before the previous one ends the session even within ten seconds', async () => {
  await using server = await start()
  const second = await refresh(server.api, server.token)
  const third = await refresh(server.api, second)
  expect(await refresh(server.api, second)).toBe(third)
  expect(await code(refresh(server.api, server.token))).toBe('invalid_token')
  expect(await code(refresh(server.api, third))).toBe('invalid_token')
})

test('a refresh that arrives while the session is rotated twice is judged by the result', async () => {
  await using server = await start()
  await using other = elsewhere(server.sql)
  const second = parseRefreshToken(await refresh(server.api, server.token)) ?? expect.unreachable()
  const [third = expect.unreachable()] = successorsOf(server.api.keyring, second)
  const [fourth = expect.unreachable()] = successorsOf(server.api.keyring, third)
  const hex = (hash: Uint8Array) => `'\\x${Buffer.from(hash).toString('hex')}'`
  const moving = other.sql
    .unsafe(
      `do $$ begin
        perform rotate_session('${server.sessionId}', ${hex(second.hash)}, ${hex(third.hash)}, '');
        perform rotate_session('${server.sessionId}', ${hex(third.hash)}, ${hex(fourth.hash)}, '');
        perform pg_sleep(0.5);
      end $$`,
    )
    .execute()
  await until(async () => (await server.sql`select from pg_stat_activity where wait_event = 'PgSleep'`).length > 0)
  expect(await code(refresh(server.api, second.text))).toBe('invalid_token')
  await moving
  expect(await code(refresh(server.api, fourth.text))).toBe('invalid_token')
})

test('a guessed token with the id of an existing session ends it', async () => {
  await using server = await start()
  expect(await code(refresh(server.api, makeRefreshToken(server.sessionId, server.api.random).text))).toBe(
    'invalid_token',
  )
  expect(await code(refresh(server.api, server.token))).toBe('invalid_token')
})

test('a token without a session changes nothing', async () => {
  await using server = await start()
  for (const text of [
    '',
    'x',
    server.token.slice(1),
    `${server.token}A`,
    `${server.token.slice(0, -1)}=`,
    '\0'.repeat(64),
  ])
    expect(await code(refresh(server.api, text))).toBe('invalid_token')
  const guess = makeRefreshToken(crypto.randomUUID(), server.api.random)
  expect(await code(refresh(server.api, guess.text))).toBe('invalid_token')
  expect(await code(refresh(server.api, server.token))).toBe('fine')
})

test('a session unused for thirty days has expired, one that was used in between has not', async () => {
  await using server = await start()
  await age(server, 29 * 86_400)
  const second = await refresh(server.api, server.token)
  await age(server, 29 * 86_400)
  const third = await refresh(server.api, second)
  await age(server, 30 * 86_400 + 1)
  expect(await code(refresh(server.api, third))).toBe('invalid_token')
})

test('the secret key may change between a refresh and its repetition', async () => {
  await using server = await start()
  const after = { ...server.api, keyring: openKeyring('another secret key of more than 32 characters', SECRET_KEY) }
  const second = await refresh(server.api, server.token)
  expect(await refresh(after, server.token)).toBe(second)
  const third = await refresh(after, second)
  expect(third).not.toBe(await refresh(server.api, second).catch(() => ''))
  expect(await refresh(after, second)).toBe(third)
})

test('a process that does not know the new secret key yet answers with Retry-After and ends nothing', async () => {
  await using server = await start()
  const after = { ...server.api, keyring: openKeyring('another secret key of more than 32 characters', SECRET_KEY) }
  const second = await refresh(after, server.token)
  expect(await code(refresh(server.api, server.token))).toBe('service_unavailable')
  expect(await code(refresh(server.api, second))).toBe('fine')
})

test('a process killed between the rotation and its response leaves the used token valid', async () => {
  await using server = await start()
  await using other = elsewhere(server.sql)
  const module = (path: string) => JSON.stringify(import.meta.resolve(path))
  const script = `
    import { parseRefreshToken, successorsOf } from ${module('../../src/access/refresh-token.ts')}
    import { openKeyring } from ${module('../../src/keyring.ts')}
    import { connect } from ${module('../../src/postgres/connect.ts')}
    import { rotateSession } from ${module('../../src/queries/sessions.ts')}
    const shown = parseRefreshToken(${JSON.stringify(server.token)})
    const [successor] = successorsOf(openKeyring(${JSON.stringify(SECRET_KEY)}), shown)
    const { sessionId, hash } = shown
    await rotateSession(connect(${JSON.stringify(other.url)}), { sessionId, shown: hash, successor: successor.hash, address: '' })
    process.kill(process.pid, 'SIGKILL')`
  expect(spawnSync(process.execPath, ['-e', script]).signal).toBe('SIGKILL')
  const [{ token_hash } = {}] = await server.sql`select token_hash from sessions where id = ${server.sessionId}`
  const successor = await refresh(server.api, server.token)
  expect(parseRefreshToken(successor)?.hash).toEqual(token_hash)
  expect(await code(refresh(server.api, successor))).toBe('fine')
})

test('a connection cut while sessions are rotated leaves each with a valid token', async () => {
  await using server = await start()
  await using terminator = elsewhere(server.sql, 'killer')
  let token = server.token
  for (let i = 0; i < 10; i++) {
    const shown = token
    const cut = terminator.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'paymachine' and pid <> pg_backend_pid()`
    const [first] = await Promise.allSettled([refresh(server.api, shown), cut])
    // The browser repeats the request with its old token, whether the commit happened or not.
    token = await until(() => refresh(server.api, shown).catch(error => rethrowRefusal(error)), { timeoutMs: 5_000 })
    if (first.status === 'fulfilled') expect(token).toBe(first.value)
  }
  expect(await code(refresh(server.api, token))).toBe('fine')
})

const rethrowRefusal = (error: Error) => {
  if (error.name === 'Refusal') throw error
  return undefined
}

test('only hashes of refresh tokens are stored', async () => {
  await using server = await start()
  const second = await refresh(server.api, server.token)
  const rows = JSON.stringify(await server.sql`select sessions::text as row from sessions`)
  for (const token of [server.token, second]) {
    expect(rows).not.toContain(token)
    expect(rows).not.toContain(Buffer.from(token, 'base64url').subarray(16).toString('hex'))
  }
})

test('an account has at most a hundred sessions, the most recently used ones', async () => {
  await using server = await start()
  await server.sql`
    insert into sessions (id, account_id, token_hash, address, network, last_used_at)
    select gen_random_uuid(), ${server.accountId}, sha256(n::text::bytea), '192.0.2.9', '192.0.2.9', now() - make_interval(hours => n)
    from generate_series(1, 120) n`
  await openSession(server.api, server.accountId, from)
  const live = await server.sql`select address from sessions where ended_at is null`
  expect(live).toHaveLength(100)
  expect(live.filter(({ address }) => address === from.address)).toHaveLength(2)
})

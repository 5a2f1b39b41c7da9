import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import * as program from '../../src/admin/admin.ts'
import { database, emptyDatabase } from '../harness/database.ts'
import { dataFolder, usedFolder } from '../harness/embedded-parent.ts'
import { type Main, startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'

const SECRET_KEY = 'a secret key for tests and for nothing else'
type Env = Readonly<Record<string, string>>

const admin = async (env: Env, args: readonly string[], input = '') => {
  const child = Bun.spawn(
    [process.execPath, fileURLToPath(new URL('../../src/admin/main.ts', import.meta.url)), ...args],
    {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdin: new TextEncoder().encode(input),
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const
  const [out, err, code] = await Promise.all([...texts, child.exited])
  return { code, out, err }
}

/** The same in this process: two dozen more processes would test no more and take a second each. */
const here = async (variables: Env, args: readonly string[], input = '') => {
  const out: string[] = []
  const err: string[] = []
  const terminal = {
    variables,
    print: (line: string) => void out.push(`${line}\n`),
    printError: (what: unknown) => void err.push(`${what}\n`),
    readInput: async () => input,
  }
  const code = await program.admin(args, terminal)
  return { code, out: out.join(''), err: err.join('') }
}

/** The parts of a line that the pattern captures. */
const find = (out: string, line: RegExp): string => line.exec(out)?.[1] ?? `no match of ${line} in ${out}`

const post = async (main: Main, path: string, json: unknown, bearer?: string) => {
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) }
  const answer = await fetch(main.url + path, { method: 'POST', headers, body: JSON.stringify(json) })
  return { status: answer.status, json: (await answer.json().catch(() => undefined)) as { accessToken: string } }
}
const statusOf = async (main: Main, path: string, bearer: string) =>
  (await fetch(main.url + path, { headers: { authorization: `Bearer ${bearer}` } })).status

test.concurrent('an operator creates an account, a merchant and a key while the server runs, and all of them work', async () => {
  await using db = await database()
  const env = { DATABASE_URL: db.url, SECRET_KEY }
  await using main = await startMain(env)

  const account = await admin(env, ['create-account', '--email', ' Ada@Example.com '])
  expect(account).toMatchObject({ code: 0, err: '' })
  const password = find(account.out, /The password is (\S{20}) \(it is shown only once\)/)
  const merchant = await admin(env, ['create-merchant', '--name', 'Lamps', '--owner-email', 'ada@example.com'])
  const merchantId = find(merchant.out, /^Created merchant (mer_\w+) for ada@example.com$/m)
  const signedIn = await post(main, '/v1/auth/sign-in', { email: 'ada@example.com', password })
  expect(signedIn).toMatchObject({
    status: 200,
    json: { merchants: [{ id: merchantId, name: 'Lamps', role: 'owner' }] },
  })
  expect((await admin(env, ['merchants'])).out).toBe(`${merchantId} Lamps (ada@example.com)\n`)

  const key = await admin(env, ['create-key', '--merchant', merchantId, '--mode', 'test', '--access', 'store_plugin'])
  const secret = find(key.out, /^The key is (sk_test_\w+) \(it is shown only once\)$/m)
  const [kept] = await db.sql`select scopes, livemode, encode(hash, 'hex') as hash from api_keys`
  const hash = new Bun.CryptoHasher('sha256').update(secret).digest('hex')
  expect(kept).toEqual({ scopes: ['payments:read', 'payment_links:write'], livemode: false, hash })

  const log = await db.sql`select action, actor, address from security_events where actor = 'operator' order by seq`
  expect(log.map(({ action }) => action)).toEqual(['account.created', 'merchant.created', 'api_key.created'])
  const [dump] = await db.sql`select string_agg(e::text, '') as text from security_events e`
  for (const shown of [password, secret]) expect(dump?.text).not.toContain(shown)
})

test.concurrent('an operator resets a password and MFA, and lists and ends sessions', async () => {
  await using db = await database()
  const env = { DATABASE_URL: db.url, SECRET_KEY }
  await using main = await startMain(env)
  const of = ['--email', 'ada@example.com']
  expect((await admin(env, ['create-account', ...of, '--password-stdin'], 'the first password\n')).out).not.toContain(
    'the first',
  )
  const signIn = (password: string) => post(main, '/v1/auth/sign-in', { email: 'ada@example.com', password })
  expect((await here(env, ['sessions', ...of])).out).toBe('ada@example.com has no sessions\n')

  const first = await signIn('the first password')
  expect((await here(env, ['sessions', ...of])).out).toMatch(/^127\.0\.0\.1, since 20\S+Z, last used 20\S+Z, Bun\S+\n$/)
  expect(await statusOf(main, '/v1/auth/me', first.json.accessToken)).toBe(200)
  expect((await here(env, ['end-sessions', ...of])).out).toBe('Ended 1 session of ada@example.com\n')
  await until(async () => (await statusOf(main, '/v1/auth/me', first.json.accessToken)) === 401, { timeoutMs: 1_500 })

  const second = await signIn('the first password')
  const reset = await here(env, ['reset-password', ...of])
  await until(async () => (await statusOf(main, '/v1/auth/me', second.json.accessToken)) === 401, { timeoutMs: 1_500 })
  expect((await signIn('the first password')).status).toBe(401)
  const password = find(reset.out, /The password is (\S+) \(/)
  await db.sql`update accounts set mfa_secret = 'sealed', mfa_enabled_at = now()`
  expect(await signIn(password)).toMatchObject({ status: 401, json: { error: { code: 'mfa_required' } } })
  expect((await here(env, ['reset-mfa', ...of])).out).toBe(
    'MFA is off for ada@example.com: the account signs in with its password only\n',
  )
  await db.sql`truncate attempts`
  expect((await signIn(password)).status).toBe(200)
  expect((await here(env, ['reset-mfa', ...of])).out).toBe('ada@example.com has no MFA\n')

  const log = await db.sql`select action from security_events where actor = 'operator' order by seq`
  expect(log.map(({ action }) => action)).toEqual([
    'account.created',
    'session.listed',
    'session.listed',
    'session.ended',
    'password.changed',
    'session.ended',
    'mfa.disabled',
  ])
})

test.concurrent('operators are added, listed and removed by their e-mail address', async () => {
  await using db = await database()
  const env = { DATABASE_URL: db.url, SECRET_KEY }
  await using main = await startMain(env)
  const run = async (...args: string[]) => {
    const { code, out, err } = await here(env, ['operator', ...args])
    return code === 0 ? out : err
  }
  expect(await run('list')).toBe('There is no operator: add one with operator add\n')
  // The first account is one, also when it is created here.
  for (const email of ['ada@example.com', 'ben@example.com'])
    await here(env, ['create-account', '--email', email, '--password-stdin'], 'correct horse battery')
  expect(await run('list')).toBe('ada@example.com, MFA off\n')
  const isOperator = async () => {
    const json = { email: 'ben@example.com', password: 'correct horse battery' }
    const signedIn = await post(main, '/v1/auth/sign-in', json)
    return (signedIn.json as unknown as { user: { operator: boolean } }).user.operator
  }
  expect(await isOperator()).toBe(false)
  expect(await run('add', ' Ben@Example.com ')).toBe('ben@example.com is an operator now\n')
  expect(await run('add', '--email', 'ben@example.com')).toBe('ben@example.com is an operator already\n')
  expect(await isOperator()).toBe(true)
  expect(await run('remove', 'ada@example.com')).toBe('ada@example.com is no operator any more\n')
  expect(await run('remove', 'ada@example.com')).toBe('ada@example.com is no operator\n')
  await db.sql`update accounts set mfa_secret = 'sealed', mfa_enabled_at = now()`
  expect(await run('list')).toBe('ben@example.com, MFA on\n')

  expect(await run('add')).toMatch(/^The address is missing\nUsage: bun run admin operator add <address>\n$/)
  expect(await run('add', 'unknown@example.com')).toMatch(/^There is no account with the e-mail address unknown@/)
  expect(await run('add', 'ben')).toBe('--email must be an e-mail address\n')
  expect(await run('add', 'ben@example.com', 'ada@example.com')).toMatch(/^Too many arguments\nUsage: /)
  expect(await run('list', 'ben@example.com')).toMatch(/\nUsage: bun run admin operator list\n$/)
  expect(await run('promote', 'ben@example.com')).toMatch(/^Unknown command: operator\n/)

  const log = await db.sql`
    select e.action, a.email from security_events e join accounts a on a.id = e.account_id
    where e.action like 'operator.%' and e.actor = 'operator' order by e.seq`
  expect([...log]).toEqual([
    { action: 'operator.added', email: 'ben@example.com' },
    { action: 'operator.removed', email: 'ada@example.com' },
  ])
})

test.concurrent('the command finds the database of a data folder, whether its server runs or not', async () => {
  await using folder = await usedFolder()
  const env = { DATA_DIR: folder.path }
  {
    await using main = await startMain(env)
    expect((await admin(env, ['create-account', '--email', 'running@example.com'])).code).toBe(0)
    main.child.kill('SIGTERM')
    await main.exited
  }
  const again = await admin(env, ['create-account', '--email', 'running@example.com'])
  expect(again).toMatchObject({
    code: 1,
    err: 'An account with the e-mail address running@example.com already exists\n',
  })
  expect((await admin(env, ['create-account', '--email', 'stopped@example.com'])).code).toBe(0)
})

test.concurrent('an error is one line, and the exit code is 1', async () => {
  await using db = await database()
  await using empty = await emptyDatabase()
  await using folder = dataFolder()
  const env = { DATABASE_URL: db.url, SECRET_KEY }
  const email = ['--email', 'ada@example.com']
  expect((await here(env, ['create-account', ...email])).code).toBe(0)
  const key = ['create-key', '--merchant', 'mer_x', '--mode']
  for (const [args, says, input] of [
    [
      ['reset-password', '--email', 'nobody@example.com'],
      /^There is no account with the e-mail address nobody@example.com$/,
    ],
    [['create-account', '--email', 'nobody'], /^--email must be an e-mail address$/],
    [['create-account', ...email], /^An account with the e-mail address ada@example.com already exists$/],
    [
      ['create-account', '--email', 'b@example.com', '--password-stdin'],
      /^The password must have 10 to 1000 characters$/,
      'short',
    ],
    [
      ['create-account', '--email', 'b@example.com', '--password-stdin'],
      /^The password is too easy to guess: /,
      'Password123\n',
    ],
    [['reset-password', ...email, '--password-stdin'], /^The password is too easy to guess: /, 'ada@example.com\n'],
    [['create-merchant', '--name', ' ', '--owner-email', 'ada@example.com'], /^--name must have 1 to 200 characters$/],
    [
      ['create-merchant', '--name', '💡'.repeat(201), '--owner-email', 'ada@example.com'],
      /^--name must have 1 to 200 characters$/,
    ],
    [
      ['create-merchant', '--name', 'Lamps', '--owner-email', 'b@example.com'],
      /^There is no account with the e-mail address b@example.com$/,
    ],
    [[...key, 'live', '--access', 'full'], /^--merchant is not the ID of a merchant/],
    [[...key, 'both', '--access', 'full'], /^--mode must be test or live$/],
    [[...key, 'live', '--access', 'constructor'], /^--access must be full, store_plugin, read_only$/],
    [['create-key'], /^--merchant is missing\nUsage: bun run admin create-key --merchant <mer_…> /],
    [['sessions', ...email, '--all'], /^Unknown option '--all'/],
    [['drop'], /^Unknown command: drop\nUsage: bun run admin <command>\n/],
  ] as const) {
    const { code, out, err } = await here(env, args, input)
    expect([args, code, out]).toEqual([args, 1, ''])
    expect(err.trim()).toMatch(says)
  }
  const spawned = await admin(env, ['create-account', '--email', 'b@example.com', '--password-stdin'], 'short')
  expect(spawned).toEqual({ code: 1, out: '', err: 'The password must have 10 to 1000 characters\n' })
  const before = await here({ ...env, DATABASE_URL: empty.url }, ['merchants'])
  expect(before).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^The database has not been migrated to this version yet/),
  })
  const unreachable = { ...env, DATABASE_URL: 'postgres://ada:a-secret@127.0.0.1:1/none' }
  expect((await here(unreachable, ['merchants'])).err).toBe('The database cannot be reached (ECONNREFUSED)\n')
  expect((await here({ DATA_DIR: folder.path }, ['merchants'])).err).toMatch(/has no database yet/)
  expect(await db.sql`select from accounts`).toHaveLength(1)
  expect(await db.sql`select from merchants`).toHaveLength(0)
  const longestPassword = ['create-merchant', '--name', '💡'.repeat(200), '--owner-email', 'ada@example.com']
  expect(await here(env, longestPassword)).toMatchObject({ code: 0, err: '' })
})

test.concurrent('without a command all commands are listed', async () => {
  const { code, out } = await admin({}, [])
  expect(code).toBe(0)
  for (const name of [
    'create-merchant',
    'create-account',
    'create-key',
    'reset-password',
    'reset-mfa',
    'sessions',
    'end-sessions',
  ])
    expect(out).toContain(`  ${name} --`)
})

test.concurrent("a user agent with control characters cannot write to the operator's terminal", async () => {
  await using db = await database()
  const env = { DATABASE_URL: db.url, SECRET_KEY }
  await here(env, ['create-account', '--email', 'ada@example.com'])
  await db.sql`
    select open_session(gen_random_uuid(), id, '\\x${db.sql.unsafe('00'.repeat(32))}', 'usr', '127.0.0.1', '127.0.0.1', e'a\u001b[2J\nb')
    from accounts`
  const { out } = await here(env, ['sessions', '--email', 'ada@example.com'])
  expect(out).toEndWith(', a?[2J?b\n')
})

test.concurrent('machines rebuild makes the counts of the machines from the tables', async () => {
  await using db = await database()
  await db.sql`insert into machine_states values ('payment', 'pending', 7)`
  const { code, out } = await admin({ DATABASE_URL: db.url, SECRET_KEY }, ['machines', 'rebuild'])
  expect([code, out]).toEqual([0, 'The counts, flows and durations of all state machines are made anew\n'])
  expect(await db.sql`select from machine_states`).toHaveLength(0)
})

test.concurrent('analytics rebuild makes the figures of merchants from the history', async () => {
  await using db = await database()
  await db.sql`
    insert into payment_sums values (gen_random_uuid(), false, 'day', 'asset', '2026-01-01', 'USD', '', 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`
  const { code, out } = await admin({ DATABASE_URL: db.url, SECRET_KEY }, ['analytics', 'rebuild'])
  expect([code, out]).toEqual([0, 'The figures of all merchants are made anew\n'])
  expect(await db.sql`select from payment_sums`).toHaveLength(0)
})

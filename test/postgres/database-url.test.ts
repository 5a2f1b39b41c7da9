import { expect, test } from 'bun:test'
import { connect } from '../../src/postgres/connect.ts'
import { parseDatabaseUrl } from '../../src/postgres/database-url.ts'
import { database } from '../harness/database.ts'
import { spawnMain, startMain } from '../harness/main.ts'
import { tlsServer } from '../harness/tls-server.ts'

const SECRET_KEY = 'a secret key for tests and for nothing else'

/** The output of a start that fails immediately, without waiting for the database. */
const refusal = async (DATABASE_URL: string) => {
  await using main = await spawnMain({ DATABASE_URL, SECRET_KEY })
  expect(await main.exited).toBe(1)
  return main.lines
}

test('with verify-full and the file of the authority every connection is encrypted and verified', async () => {
  await using server = await tlsServer()
  const url = `${server.url}?sslmode=verify-full&sslrootcert=${server.root}`
  await using main = await startMain({ DATABASE_URL: url, SECRET_KEY })
  expect(main.lines).toEqual([`Ready at ${main.url}`])
  const sql = connect(url, { max: 1 })
  const rows = await sql<{ name: string; ssl: boolean }[]>`
    select distinct application_name as name, ssl from pg_stat_ssl join pg_stat_activity using (pid)
    where backend_type = 'client backend' and application_name like 'paymachine %' order by name`
  await sql.end({ timeout: 1 })
  const names = rows.map(({ name }) => name)
  for (const name of ['actors', 'heartbeat', 'webhooks', 'worker']) expect(names).toContain(`paymachine ${name}`)
  expect(rows.filter(({ ssl }) => !ssl)).toEqual([])
})

test('a failed verification ends the start with one line', async () => {
  await using server = await tlsServer()
  expect(await refusal(`${server.url}?sslmode=verify-full`)).toEqual([
    'DATABASE_URL: the certificate of the database is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): set sslrootcert to the file of its certificate authority',
  ])
  expect(await refusal(`${server.url}?sslmode=require&sslrootcert=system`)).toEqual([
    'DATABASE_URL: sslrootcert=system needs sslmode=verify-full',
  ])
  expect(await refusal(`${server.url}?sslmode=verify-ca`)).toEqual([
    'DATABASE_URL: sslmode=verify-ca needs the file of an authority in sslrootcert: name it there, or use sslmode=verify-full',
  ])
  const elsewhere = server.url.replace('127.0.0.1', '127.0.0.2')
  expect(await refusal(`${elsewhere}?sslmode=verify-full&sslrootcert=${server.root}`)).toEqual([
    'DATABASE_URL: the certificate of the database is for another host name: use that name, or sslmode=verify-ca',
  ])
  for (const parameters of ['sslmode=require', `sslmode=verify-ca&sslrootcert=${server.root}`]) {
    const sql = connect(`${elsewhere}?${parameters}`, { max: 1 })
    expect([...(await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)]).toEqual([{ ssl: true }])
    await sql.end({ timeout: 1 })
  }
  // As in libpq: with a file, `require` verifies.
  const sql = connect(`${server.url}?sslmode=require&sslrootcert=${server.other}`, { max: 1 })
  expect(await sql`select 1`.catch(error => error.code)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  await sql.end({ timeout: 1 })
})

test('a client certificate is sent to a database that requires one', async () => {
  await using server = await tlsServer({ clientCertificate: true })
  const url = `${server.url}?sslmode=verify-full&sslrootcert=${server.root}`
  expect(await refusal(url)).toEqual([
    'DATABASE_URL: the database does not allow this user to connect (connection requires a valid client certificate)',
  ])
  await using main = await startMain({ DATABASE_URL: `${url}&${server.client}`, SECRET_KEY })
  expect(main.lines).toEqual([`Ready at ${main.url}`])
})

test('a database without TLS ends a start that requires TLS with one line', async () => {
  await using db = await database()
  expect(await refusal(`${db.url}?sslmode=require`)).toEqual([
    'DATABASE_URL: the database does not support TLS: enable TLS there, or remove sslmode',
  ])
})

const wrong: readonly (readonly [string, string])[] = [
  ['sslmode=prefer', 'sslmode must be disable, require, verify-ca or verify-full'],
  ['sslrootcert=/root.crt', 'sslrootcert also needs sslmode, such as sslmode=verify-full'],
  ['sslmode=verify-full&sslrootcert=/none/root.crt', 'sslrootcert /none/root.crt cannot be read (ENOENT)'],
  [`sslmode=verify-full&sslrootcert=${import.meta.path}`, `sslrootcert ${import.meta.path} is not a PEM file`],
  ...['disable', 'require', 'verify-ca'].map(
    mode => [`sslmode=${mode}&sslrootcert=system`, 'sslrootcert=system needs sslmode=verify-full'] as const,
  ),
  [
    'sslmode=verify-ca',
    'sslmode=verify-ca needs the file of an authority in sslrootcert: name it there, or use sslmode=verify-full',
  ],
  ['sslmode=require&sslcert=/client.crt', 'sslcert and sslkey must be set together'],
  ['sslmode=require&channel_binding=require', 'the parameter channel_binding is not supported: remove it'],
]

for (const [parameters, line] of wrong)
  test(`${parameters.replace(import.meta.dir, '')} is refused before any connection`, () => {
    expect(() => parseDatabaseUrl(`postgres://u:p@h/d?${parameters}`)).toThrow(`DATABASE_URL: ${line}`)
  })

test("verify-full with the system's authorities verifies the certificate and the host name", () => {
  const { tls } = parseDatabaseUrl('postgres://u@h/d?sslmode=verify-full&sslrootcert=system')
  expect(tls).toMatchObject({ rejectUnauthorized: true, servername: 'h' })
  expect(tls).not.toHaveProperty('ca')
})

test('parameters that only we use are not passed to the drivers', () => {
  const { url, tls } = parseDatabaseUrl('postgres://u:p%40%2F@h:5/d?options=-c%20a.b%3Dc&sslmode=verify-full')
  expect(url).toBe('postgres://u:p%40%2F@h:5/d?options=-c+a.b%3Dc')
  expect(tls).toMatchObject({ rejectUnauthorized: true, servername: 'h' })
  expect(parseDatabaseUrl('postgres://u@h/d')).toEqual({ url: 'postgres://u@h/d', tls: false })
})

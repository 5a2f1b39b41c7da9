import { expect, test } from 'bun:test'
import { classifyError, isDatabaseUnreachable } from '../../src/postgres/errors.ts'
import { lampInstance } from '../actors/lamps.ts'

const coded = (code: unknown) => Object.assign(new Error('whatever it says'), { code })

test.each([
  ['08006', 'lost'], // connection failure
  ['57P01', 'lost'], // terminated by an administrator
  ['57P02', 'lost'], // crash shutdown
  ['58030', 'lost'], // the server's disk
  ['ECONNRESET', 'lost'],
  ['CONNECTION_CLOSED', 'lost'],
  ['ETIMEDOUT', 'lost'],
  ['EPIPE', 'lost'],
  ['EPROTO', 'lost'],
  ['ENETDOWN', 'lost'],
  ['ENOTCONN', 'lost'],
  ['EHOSTDOWN', 'lost'],
  ['ERR_STREAM_DESTROYED', 'lost'],
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'lost'],
  ['CERT_HAS_EXPIRED', 'lost'],
  ['a code that no list has', 'lost'],
  ['40003', 'lost'], // statement completion unknown
  ['40001', 'aborted'],
  ['40P01', 'aborted'],
  ['53300', 'aborted'], // too many connections
  ['53100', 'aborted'], // disk full
  ['55P03', 'aborted'],
  ['57014', 'aborted'], // canceled
  ['25006', 'aborted'], // read-only
  ['23505', 'final'],
  ['23514', 'final'],
  ['22P02', 'final'],
  ['42883', 'final'],
  ['PM001', 'final'],
  [undefined, 'final'],
] as const)('an error with code %p is %s', (code, judged) => {
  expect(classifyError(coded(code))).toBe(judged)
})

test('what Postgres itself says is judged so', async () => {
  await using instance = await lampInstance()
  const judge = (statement: string) => instance.sql.unsafe(statement).then(() => undefined, classifyError)
  expect(await judge('set local statement_timeout = 1; select pg_sleep(1)')).toBe('aborted')
  expect(await judge('select pg_terminate_backend(pg_backend_pid())')).toBe('lost')
  expect(await judge('do $$ begin raise serialization_failure; end $$')).toBe('aborted')
  expect(await judge('select 1 / 0')).toBe('final')
})

test('an error without a code is lost when a statement met it, and a fault of this program when none did', () => {
  expect(classifyError(Object.assign(new Error('broken'), { query: 'select 1' }))).toBe('lost')
  expect(classifyError(new TypeError('not a function'))).toBe('final')
})

test('only a statement has met a database that is gone', async () => {
  await using instance = await lampInstance()
  const met = (statement: string) => instance.sql.unsafe(statement).then(() => undefined, identity)
  const gone = await met('select pg_terminate_backend(pg_backend_pid())')
  expect(isDatabaseUnreachable(gone)).toBe(true)
  expect(isDatabaseUnreachable(new Error('cannot commit', { cause: gone }))).toBe(true)
  expect(isDatabaseUnreachable(await met('select 1 / 0'))).toBe(false)
  // As a fetch of somebody else's server would say it.
  expect(isDatabaseUnreachable(coded('ECONNREFUSED'))).toBe(false)
  expect(isDatabaseUnreachable('57P01')).toBe(false)
})

const identity = (error: unknown): unknown => error

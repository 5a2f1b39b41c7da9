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
] as const)('an error with code %p is %s', (code, classification) => {
  expect(classifyError(coded(code))).toBe(classification)
})

test('errors of a real Postgres are classified alike', async () => {
  await using instance = await lampInstance()
  const classify = (statement: string) => instance.sql.unsafe(statement).then(() => undefined, classifyError)
  expect(await classify('set local statement_timeout = 1; select pg_sleep(1)')).toBe('aborted')
  expect(await classify('select pg_terminate_backend(pg_backend_pid())')).toBe('lost')
  expect(await classify('do $$ begin raise serialization_failure; end $$')).toBe('aborted')
  expect(await classify('select 1 / 0')).toBe('final')
})

test('an error without a code is lost for a statement, and otherwise a bug of this program', () => {
  expect(classifyError(Object.assign(new Error('broken'), { query: 'select 1' }))).toBe('lost')
  expect(classifyError(new TypeError('not a function'))).toBe('final')
})

test('only a statement can find the database unreachable', async () => {
  await using instance = await lampInstance()
  const inStatement = (statement: string) => instance.sql.unsafe(statement).then(() => undefined, identity)
  const refused = await inStatement('select pg_terminate_backend(pg_backend_pid())')
  expect(isDatabaseUnreachable(refused)).toBe(true)
  expect(isDatabaseUnreachable(new Error('cannot commit', { cause: refused }))).toBe(true)
  expect(isDatabaseUnreachable(await inStatement('select 1 / 0'))).toBe(false)
  // The error of a fetch from another server.
  expect(isDatabaseUnreachable(coded('ECONNREFUSED'))).toBe(false)
  expect(isDatabaseUnreachable('57P01')).toBe(false)
})

const identity = (error: unknown): unknown => error

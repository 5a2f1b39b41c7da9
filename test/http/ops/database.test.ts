import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { opsRoutes } from '../../../src/http/ops/routes.ts'
import { connect } from '../../../src/postgres/connect.ts'
import { readDatabase } from '../../../src/queries/ops/database.ts'
import { apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { operator } from '../people.ts'

const server = await apiServer({ routes: opsRoutes })
afterAll(() => server[Symbol.asyncDispose]())
const { bearer } = await operator(server.api)

type Database = Readonly<Record<'version' | 'sizeBytes' | 'connections' | 'maxConnections' | 'heldMs', unknown>> & {
  readonly transactions: readonly { readonly pid: number; readonly writing: boolean; readonly state: string }[]
  readonly retention: readonly object[]
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | null
}

const read = async () => {
  const { status, json } = await server.call('GET', '/v1/ops/database', { bearer })
  expect(status).toBe(200)
  const { data } = json as { data: readonly Database[] }
  expect(data).toHaveLength(1)
  return data[0] as Database
}

test('the database has its version, its size and its connections', async () => {
  const [shown] = await server.sql<{ version: string; size: number; most: number }[]>`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as size,
      current_setting('max_connections')::integer as most`
  const { version, sizeBytes, connections, maxConnections, disk } = await read()
  expect([version, maxConnections, disk]).toEqual([String(shown?.version), Number(shown?.most), null])
  expect(Number(sizeBytes) / Number(shown?.size)).toBeCloseTo(1, 0)
  expect(Number(connections)).toBeGreaterThanOrEqual(1)
})

test('how far old records were dropped is shown by part', async () => {
  await server.sql`
    update retention_progress set dropped = 7, before = now(), completed_at = '2026-11-27T03:10:00Z' where part = 'deliveries'`
  await server.sql`update retention_progress set held = 'broken' where part = 'history'`
  expect((await read()).retention).toEqual([
    { part: 'attempt_bodies', dropped: 0, completedAt: null, heldBack: null },
    { part: 'deliveries', dropped: 7, completedAt: '2026-11-27T03:10:00.000Z', heldBack: null },
    { part: 'history', dropped: 0, completedAt: null, heldBack: 'broken' },
  ])
})

test('transactions that are open for long are shown with what ends them', async () => {
  const client = connect(server.databaseUrl, { max: 1, name: 'MARKED' })
  await client.unsafe('begin')
  await client.unsafe('create table left_open (id integer)')
  const [row] = await client<{ pid: number }[]>`select pg_backend_pid() as pid`
  const pid = Number(row?.pid)
  const open = (transactions: readonly { readonly pid: number }[]) => transactions.find(each => each.pid === pid)
  const found = await until(async () => open((await readDatabase(server.sql, 200)).transactions))
  expect(found).toEqual({ pid, ageMs: expect.any(Number), state: 'idle in transaction', isWriting: true } as never)
  expect(JSON.stringify(found)).not.toContain('MARKED')
  // Younger than half a minute: nothing is wrong yet.
  const { transactions, heldMs } = await read()
  expect(open(transactions)).toBeUndefined()
  expect(Number(heldMs)).toBeGreaterThan(199)
  await client.unsafe('rollback')
  expect(open((await readDatabase(server.sql, 0)).transactions)).toBeUndefined()
  await client.end()
})

test('the disk is known where the server runs Postgres, and not where its folder cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paymachine-test-'))
  Object.assign(server.api, { clusterFolder: folder })
  const { disk } = await read()
  expect(disk?.totalBytes).toBeGreaterThan(disk?.freeBytes ?? Number.POSITIVE_INFINITY)
  Object.assign(server.api, { clusterFolder: join(folder, 'missing') })
  expect((await read()).disk).toBeNull()
  await rm(folder, { recursive: true })
})

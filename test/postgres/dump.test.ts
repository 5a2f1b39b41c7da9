import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { audit } from '../../src/audit/audit.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { environment, logFolder, pgdata } from '../../src/postgres/cluster.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { startPostgres } from '../../src/postgres/server.ts'
import { accountFor, give, identity } from '../../src/process/account.ts'
import { insertPaidPayments } from '../bench/audit-rows.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { startMain } from '../harness/main.ts'
import { countIn, readFeeds, recordAudit, runRetention } from '../server/retaining.ts'

/** The oldest that is supported. */
const OLDEST = 15

/** A Postgres of this machine with its pg_dump. The embedded one has none, and pg_dump reads no newer server. */
const findInstalled = (): { readonly folder: string; readonly version: string } | undefined => {
  const debian = '/usr/lib/postgresql'
  const folders = [
    ...(existsSync(debian) ? readdirSync(debian).map(major => join(debian, major)) : []),
    ...(process.env.PATH ?? '')
      .split(':')
      .map(path => join(path, 'postgres'))
      .filter(existsSync)
      .map(program => dirname(dirname(realpathSync(program)))),
  ]
  for (const folder of new Set(folders)) {
    const programs = ['initdb', 'postgres', 'pg_dump', 'pg_restore'].map(program => join(folder, 'bin', program))
    if (!programs.every(existsSync)) continue
    const said = spawnSync(join(folder, 'bin', 'pg_dump'), ['--version'], { encoding: 'utf8' }).stdout
    const [, version] = /(\d+)\.\d+/.exec(said) ?? []
    if (version !== undefined && Number(version) >= OLDEST) return { folder, version }
  }
  return undefined
}

const installed = findInstalled()
if (!installed) console.log(`skipped: this machine has no Postgres ${OLDEST} or later with its pg_dump`)

/** A server of the installed Postgres, whose databases `paymachine` owns. */
const installedServer = async ({ folder, version }: NonNullable<typeof installed>) => {
  const home = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  const account = accountFor(tmpdir())
  const cluster = { home, account, binaries: { folder, version } }
  const run = (program: string, ...args: readonly string[]) => {
    const { status, stderr } = spawnSync(join(folder, 'bin', program), args, {
      ...{ ...identity(account), cwd: '/', env: environment, encoding: 'utf8' },
    })
    expect([program, status, stderr.trim()]).toEqual([program, 0, ''])
  }
  give(home, account)
  for (const each of [pgdata(home), logFolder(home)]) {
    mkdirSync(each, { mode: 0o700 })
    give(each, account)
  }
  run('initdb', '-D', pgdata(home), '-U', 'paymachine', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync')
  const server = await startPostgres(cluster, { temporary: true, settings: { fsync: 'off' } })
  const urlOf = (name: string) => `postgres://paymachine@127.0.0.1:${server.port}/${name}`
  const admin = connect(urlOf('postgres'), { max: 1 })
  return {
    ...{ home, run },
    create: async (name: string) => {
      await admin.unsafe(`create database ${name}`)
      return urlOf(name)
    },
    [Symbol.asyncDispose]: async () => {
      await admin.end({ timeout: 1 })
      await server.stop('kill')
      await rm(home, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

const countRows = async (sql: Sql) => {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`
  return Promise.all(tables.map(async ({ name }) => [name, await countIn({ sql }, name)] as const))
}

test.skipIf(!installed)(
  'a dump is restored into another database as it was, and a server runs on it',
  async () => {
    if (!installed) throw new Error('there is no Postgres')
    await using server = await installedServer(installed)
    await using ending = new AsyncDisposableStack()
    const open = (url: string) => ending.adopt(connect(url, { max: 4 }), pool => pool.end({ timeout: 1 }))
    const first = await server.create('paymachine')
    await migrate(first)
    const sql = open(first)
    // The rows have transaction ids that a new cluster has not reached.
    await sql`
    do $$ begin
      for n in 1..1500 loop perform pg_current_xact_id(); commit; end loop;
    end $$`.simple()
    await insertPaidPayments(sql, openKeyring(SECRET_KEY), 300)
    await readFeeds({ sql })
    await recordAudit({ sql }, 'clean')
    expect(await audit(sql, kinds)).toEqual([])
    await runRetention({ sql })
    const before = await countRows(sql)
    expect(before).toContainEqual(['public.payments', 300])
    expect(before).toContainEqual(['public.deliveries', 0])

    const dump = join(server.home, 'paymachine.dump')
    server.run('pg_dump', '--format=custom', '--no-owner', `--file=${dump}`, first)
    const second = await server.create('paymachine_restored')
    server.run('pg_restore', '--no-owner', '--exit-on-error', `--dbname=${second}`, dump)
    const restored = open(second)
    expect(await countRows(restored)).toEqual(before)
    expect(await audit(restored, kinds)).toEqual([])

    const main = await startMain({ DATABASE_URL: second, SECRET_KEY })
    try {
      expect((await main.get('/readyz'))?.status).toBe(200)
    } finally {
      main.child.kill('SIGTERM')
      expect(await main.exited).toBe(0)
    }
    expect(await audit(restored, kinds)).toEqual([])
    expect(await countIn({ sql: restored }, 'payments')).toBe(300)
  },
  120_000,
)

import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { listAudits, requestAudit } from '../../src/queries/audits.ts'
import { database, emptyDatabase } from '../harness/database.ts'
import { dataFolder, usedFolder } from '../harness/embedded-parent.ts'
import { startMain } from '../harness/main.ts'

const SECRET_KEY = 'a secret key for tests and for nothing else'

const runAudit = async (env: Readonly<Record<string, string>>) => {
  const child = Bun.spawn([process.execPath, fileURLToPath(new URL('../../src/audit/main.ts', import.meta.url))], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 20_000,
  })
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const
  const [out, err, code] = await Promise.all([...texts, child.exited])
  return { code, out, err }
}

const cleanIn = (where: string) => ({
  code: 0,
  out: `Auditing 0 transitions and 0 events, in ${where}\nClean: every invariant holds\n`,
  err: '',
})

test.concurrent('an operator audits a database by its URL and gets its violations', async () => {
  await using db = await database()
  const env = { DATABASE_URL: db.url, SECRET_KEY }
  expect(await runAudit(env)).toEqual(cleanIn('the database of DATABASE_URL'))
  await db.sql`insert into timers (actor, name, kind, generation, due_at) values (gen_random_uuid(), 'x.y.z', 'k', 1, '-infinity')`
  const { code, out } = await runAudit(env)
  expect(code).toBe(1)
  expect(out).toContain('I7 broken 1 ×: a timer overdue by more than a minute')
  const [found, clean] = await listAudits(db.sql, { after: undefined, limit: 10, order: 'desc' })
  expect([found?.status, clean?.status]).toEqual(['findings', 'clean'])
  expect([found?.started_by, clean?.started_by]).toEqual(['command', 'command'])
  expect(found?.checks).toContainEqual(
    expect.objectContaining({ name: 'I7: a timer overdue by more than a minute', status: 'findings', count: 1 }),
  )
})

test.concurrent('the checks also run while another audit is under way, and with a role that cannot write', async () => {
  await using db = await database()
  await requestAudit(db.sql, crypto.randomUUID())
  expect(await runAudit({ DATABASE_URL: db.url, SECRET_KEY })).toEqual(cleanIn('the database of DATABASE_URL'))
  await db.sql`update audits set status = 'failed', finished_at = now()`
  const name = `reader_${crypto.randomUUID().slice(0, 8)}`
  await db.sql.unsafe(`create role ${name} login password 'secret';
    grant usage on schema graphile_worker to ${name};
    grant select on all tables in schema public, graphile_worker to ${name}`)
  await using ending = new AsyncDisposableStack()
  ending.defer(() => db.sql.unsafe(`drop owned by ${name}; drop role ${name}`).then(() => {}))
  const reader = Object.assign(new URL(db.url), { username: name, password: 'secret' }).href
  expect(await runAudit({ DATABASE_URL: reader, SECRET_KEY })).toEqual(cleanIn('the database of DATABASE_URL'))
  const rows = await listAudits(db.sql, { after: undefined, limit: 10, order: 'desc' })
  expect(rows.map(({ status }) => status)).toEqual(['failed'])
})

test.concurrent('the audit finds the database of a data folder, whether its server runs or not', async () => {
  await using folder = await usedFolder()
  const env = { DATA_DIR: folder.path }
  {
    await using main = await startMain(env)
    expect(await runAudit(env)).toEqual(cleanIn('the database of a running server'))
    main.child.kill('SIGTERM')
    await main.exited
  }
  expect(await runAudit(env)).toEqual(cleanIn('the database of a stopped server'))
})

test.concurrent('without a database the exit code is 1', async () => {
  await using empty = await emptyDatabase()
  const unmigrated = await runAudit({ DATABASE_URL: empty.url, SECRET_KEY })
  expect(unmigrated).toMatchObject({ code: 1, out: '' })
  expect(unmigrated.err).toMatch(/^The database has not been migrated to this version yet: start the server once.*\n$/)
  await using folder = dataFolder()
  const { code, err } = await runAudit({ DATA_DIR: folder.path })
  expect(code).toBe(1)
  expect(err).toMatch(/has no database yet/)
})

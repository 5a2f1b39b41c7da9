import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import postgres from 'postgres'
import { StartError } from '../process/start-error.ts'
import { connect, type Sql } from './connect.ts'
import { pgAddress } from './database-url.ts'

/** A file of sql/. Migrations have no way back, and are not edited after a release. */
export type Migration = { readonly name: string; readonly text: string; readonly checksum: string }

/**
 * Migrates the database to this version. If several processes start at the same time, one migrates and the others wait.
 */
export const migrate = async (url: string, migrations?: readonly Migration[]): Promise<void> => {
  const wanted = migrations ?? (await readMigrations())
  const sql = connect(url, { max: 1, name: 'paymachine migrate' })
  try {
    await requireVersion(sql)
    // Held until this connection ends. It also protects graphile-worker's migrations.
    await sql`select pg_advisory_lock(hashtext('paymachine migrate'))`
    await requireRights(sql)
    const applied = await findApplied(sql)
    requireKnownMigrations(applied, wanted)
    // Imported here, because commands that only read the list of migrations do not need it.
    const { Logger, runMigrations } = await import('graphile-worker')
    const pool = new pg.Pool({ ...pgAddress(url), max: 1 })
    // graphile-worker requires both listeners. Errors also reject the call.
    pool.on('connect', client => client.on('error', () => {}))
    pool.on('error', () => {})
    await runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) }).finally(() => pool.end())
    for (const migration of wanted) {
      if (!applied.has(migration.name)) await apply(sql, migration)
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

export const sqlFolder = new URL('../../sql/', import.meta.url)

export const readMigrations = async (folder: URL = sqlFolder): Promise<readonly Migration[]> => {
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()
  for (const [i, name] of names.entries()) {
    if (!/^\d{3}-[a-z0-9-]+\.sql$/.test(name))
      throw new StartError(`sql/${name} must have a name such as 001-something.sql`)
    const before = names[i - 1]
    if (before?.slice(0, 3) === name.slice(0, 3))
      throw new StartError(`sql/${before} and sql/${name} have the same number`)
  }
  return Promise.all(
    names.map(async name => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

const requireVersion = async (sql: Sql) => {
  const [server] = await sql<{ version: string; number: number }[]>`
    select current_setting('server_version') as version, current_setting('server_version_num')::integer as number`
  if (server && server.number < 150_000)
    throw new StartError(`The database is Postgres ${server.version}: Postgres 15 or later is required`)
}

/** Migrations create tables and graphile-worker's schema, and later ones change them, which only the owner can. */
const requireRights = async (sql: Sql) => {
  const [row] = await sql<Rights[]>`
    select format('%I', current_user) as "user", format('%I', current_database()) as database,
      format('%I', coalesce(current_schema(), 'public')) as schema,
      has_database_privilege(current_database(), 'create')
        and has_schema_privilege(coalesce(current_schema(), 'public'), 'create') as may_create,
      (select format('%I', pg_get_userbyid(relowner)) from pg_class
       where oid = to_regclass('migrations') and not pg_has_role(relowner, 'usage')) as owner`
  if (!row) return
  const { user, database, schema } = row
  if (row.owner !== null)
    throw new StartError(
      `DATABASE_URL: the tables in this database belong to user ${row.owner}, not to ${user}: use user ${row.owner}, or restore it with pg_restore --no-owner --role=${user}`,
    )
  if (!row.may_create)
    throw new StartError(
      `DATABASE_URL: user ${user} cannot create tables in this database. As its owner, run: grant create on database ${database} to ${user}; grant create on schema ${schema} to ${user}`,
    )
}

type Rights = {
  readonly user: string
  readonly database: string
  readonly schema: string
  readonly may_create: boolean
  readonly owner: string | null
}

const findApplied = async (sql: Sql): Promise<ReadonlyMap<string, string>> => {
  await sql`
    create table if not exists migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`
  const rows = await sql<{ name: string; checksum: string }[]>`select name, checksum from migrations order by name`
  return new Map(rows.map(row => [row.name, row.checksum]))
}

const requireKnownMigrations = (applied: ReadonlyMap<string, string>, wanted: readonly Migration[]) => {
  const known = new Map(wanted.map(migration => [migration.name, migration.checksum]))
  for (const [name, checksum] of applied) {
    const expected = known.get(name)
    if (expected === undefined)
      throw new StartError(
        `The database is newer than this program: it has the migration ${name}, which this program does not have. Start the newer version`,
      )
    if (expected !== checksum)
      throw new StartError(
        `The database was created by another version of this program (sql/${name} differs): start that version, or set DATA_DIR or DATABASE_URL to an empty one`,
      )
  }
}

/**
 * Runs the file and inserts its row as one batch of the simple protocol, which Postgres runs as one transaction. If the
 * session's lock was lost with its connection, the transaction's lock replaces it: the insert then fails because
 * another process has already applied the file.
 */
const apply = async (sql: Sql, { name, text, checksum }: Migration) => {
  const header = `select pg_advisory_xact_lock(hashtext('paymachine migration')); insert into migrations (name, checksum) values ('${name}', '${checksum}');\n`
  try {
    await sql.unsafe(header + text).simple()
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    if (error.constraint_name === 'migrations_pkey') return
    const at = error.position ? `:${(header + text).slice(0, Number(error.position)).split('\n').length - 1}` : ''
    throw new StartError(`sql/${name}${at} failed: ${error.message}`, { cause: error })
  }
}

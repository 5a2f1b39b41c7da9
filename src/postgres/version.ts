import { StartError } from '../process/start-error.ts'
import type { Sql } from './connect.ts'
import { readMigrations } from './migrate.ts'

/** Throws if the database has not been migrated to this version: commands read and write the tables of servers of it. */
export const requireMigrated = async (sql: Sql): Promise<void> => {
  const names = (await readMigrations()).map(({ name }) => name)
  const [table] = await sql<{ found: boolean }[]>`select to_regclass('migrations') is not null as found`.catch(
    (error: NodeJS.ErrnoException) => {
      throw new StartError(`The database cannot be reached (${error.code})`)
    },
  )
  const applied = table?.found ? await sql`select from migrations where name = any(${names})` : []
  if (applied.length < names.length)
    throw new StartError(
      'The database has not been migrated to this version yet: start the server once, then run this command again',
    )
}

import type { Sql } from '../postgres/connect.ts'
import type { FeedReader } from './feed-readers.ts'
import type { Kind } from './kind.ts'

/** Adds the next transitions of the feed to the sums. Returns how many they were. */
export const addTransitions = async (sql: Sql, most: number): Promise<number> => {
  const [row] = await sql<{ added: number }[]>`select count_transitions(${most}) as added`
  return row?.added ?? 0
}

/** Keeps the sums of all machines: see sql/011-machine-sums.sql. */
export const machineSumsReader: FeedReader = {
  name: 'machines',
  add: addTransitions,
  prune: async sql => {
    await sql`select prune_machine_sums()`
  },
}

/** Makes the sums from the rows of all actors and their history. */
export const rebuildMachineSums = async (sql: Sql, kinds: readonly Kind[]): Promise<void> => {
  const tables = JSON.stringify(Object.fromEntries(kinds.map(({ name, table }) => [name, table])))
  await sql`select rebuild_machine_sums(${tables}::text::json)`
}

import type { Keyring } from '../keyring.ts'
import type { Sql } from '../postgres/connect.ts'
import type { SealedColumn } from '../sealed-columns.ts'

export type Rekeyed = {
  readonly column: SealedColumn
  readonly resealed: number
  /** IDs of rows that neither key decrypts. */
  readonly unreadable: readonly string[]
}

/**
 * Encrypts a column again with the current key, while servers read and write it. Repeats until nothing is left, because a
 * process that does not have the key yet may have written in the meantime.
 */
export const rekey = async (
  sql: Sql,
  keyring: Keyring,
  column: SealedColumn,
  { batch = 200 }: { readonly batch?: number } = {},
): Promise<Rekeyed> => {
  let resealed = 0
  for (;;) {
    const walk = await walkOnce(sql, keyring, column, batch)
    resealed += walk.resealed
    if (!walk.found) return { column, resealed, unreadable: walk.unreadable }
  }
}

const walkOnce = async (sql: Sql, keyring: Keyring, column: SealedColumn, batch: number) => {
  const unreadable: string[] = []
  let resealed = 0
  let found = false
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await findOld(sql, column, keyring.id, { after, limit: batch })
    const last = rows.at(-1)
    if (!last) return { resealed, found, unreadable }
    after = last.id
    const changes: Change[] = []
    for (const { id, sealed } of rows) {
      const next = reseal(keyring, column, id, sealed)
      if (next === undefined) unreadable.push(id)
      else changes.push({ id, sealed, next })
    }
    found ||= changes.length > 0
    resealed += await replace(sql, column, changes)
  }
}

type Row = { readonly id: string; readonly sealed: string }
type Change = Row & { readonly next: string }

/** Undefined if neither key decrypts it: the other rows are still processed. */
const reseal = (keyring: Keyring, { purpose }: SealedColumn, id: string, sealed: string): string | undefined => {
  try {
    return keyring.seal(purpose, id, keyring.open(purpose, id, sealed))
  } catch {
    return undefined
  }
}

type Part = { readonly after: string; readonly limit: number }

const findOld = (sql: Sql, { table, column }: SealedColumn, keyId: string, { after, limit }: Part) => sql<Row[]>`
  select id, ${sql(column)} as sealed from ${sql(table)}
  where id > ${after} and not starts_with(${sql(column)}, ${`v1.${keyId}.`})
  order by id limit ${limit}`

/** Only rows that have not changed in the meantime. Locked in order: another rekey may process the same rows. */
const replace = async (sql: Sql, { table, column }: SealedColumn, changes: readonly Change[]): Promise<number> => {
  if (changes.length === 0) return 0
  const { count } = await sql`
    with changes as (
        select * from unnest(
          ${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ sealed }) => sealed)}::text[],
          ${changes.map(({ next }) => next)}::text[]) as changes (id, sealed, next)
      ),
      locked as (
        select t.id, next from ${sql(table)} t join changes on changes.id = t.id
        where t.${sql(column)} = changes.sealed
        order by t.id for no key update of t
      )
    update ${sql(table)} t set ${sql(column)} = next from locked where t.id = locked.id`
  return count
}

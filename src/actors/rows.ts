import { type Actor, type Column, type Context, type Kind, snakeCase } from './kind.ts'
import type { Value } from './literals.ts'
import { testClockOf } from './test-clocks.ts'

/** A row of an actor table as postgres.js reads it. */
export type ActorRow = Record<string, unknown> & {
  readonly id: string
  readonly state: string
  readonly rev: number
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** Converts rows to actors and back. The list of fields is computed once per kind, because it is used for every row. */
export const rowCodec = (kind: Kind, tableColumns: readonly string[]) => {
  const fields = Object.entries(kind.columns).map(([field, type]) => ({ field, type, column: snakeCase(field) }))
  const shown = fields.filter(({ field }) => kind.history.includes(field))
  const writers = [...headerWriters, ...tableColumns.map(column => writerOf(kind, fields, column))]
  for (const { column } of fields) {
    if (!tableColumns.includes(column))
      throw new Error(`cannot register ${kind.name}: table ${kind.table} has no column ${column}`)
  }

  const decode = (row: ActorRow): Actor => {
    const stored: Context = {}
    for (const { field, column, type } of fields) stored[field] = decodeValue(type, row[column])
    const context = migrated(kind, row, stored)
    const { id, state, rev, created_at: createdAt, updated_at: updatedAt } = row
    return { id, kind: kind.name, state, rev, context, createdAt, updatedAt }
  }

  /** The actor's entry in a commit: the header, then its values in the order of the table's columns. */
  const encode = (actor: Actor, header: RowHeader): Value[] => writers.map(write => write(actor, header))

  /** The fields that history shows, as JSON. */
  const show = (actor: Actor): Record<string, unknown> => {
    const visible: Record<string, unknown> = {}
    for (const { field, type } of shown) {
      const value = actor.context[field]
      visible[field] = type === 'atomic' && value !== null ? String(value) : value
    }
    return visible
  }

  const isOwned = 'merchantId' in kind.columns && 'livemode' in kind.columns
  const ownerOf = ({ context: { merchantId, livemode } }: Actor): Owner =>
    isOwned ? { merchantId: String(merchantId), livemode: livemode === true } : { merchantId: null, livemode: null }

  return { decode, encode, show, ownerOf, rowOf: rowReader(kind, tableColumns) }
}

/** Converts the texts that `read_<writer>` returns to rows as postgres.js would have read them. */
const rowReader = (kind: Kind, tableColumns: readonly string[]) => {
  const types = new Map(Object.entries(kind.columns).map(([field, type]) => [snakeCase(field), type]))
  const readers = tableColumns.map(column => {
    const type = baseTypes[column] ?? types.get(column)
    return { column, read: type && readText[type] }
  })
  return (texts: readonly (string | null)[]): ActorRow => {
    const row: Record<string, unknown> = {}
    let at = 0
    for (const { column, read } of readers) {
      const text = texts[at++] ?? null
      row[column] = text === null || read === undefined ? text : read(text)
    }
    return row as ActorRow
  }
}

const baseTypes: Readonly<Record<string, Column>> = {
  rev: 'integer',
  version: 'integer',
  leased_until: 'time',
  created_at: 'time',
  updated_at: 'time',
}

/** The types whose values are not text in a decoded row. */
const readText: { readonly [Type in Column]?: (text: string) => unknown } = {
  integer: Number,
  time: text => new Date(text),
  boolean: text => text === 'true',
  json: text => JSON.parse(text),
}

/** The merchant and the mode of an actor; null if its kind does not have these columns. */
export type Owner = { readonly merchantId: string | null; readonly livemode: boolean | null }

/** The header of a row in a commit: its group, and the rev and the transaction of the row that was read. */
export type RowHeader = { readonly group: number; readonly stored: number; readonly seen: string | null }

type Write = (actor: Actor, header: RowHeader) => Value

/** The header of every entry, as in sql/101-actors-functions.sql. gather.ts writes it for rows of other tables. */
const headerWriters: readonly Write[] = [(_, { group }) => group, (_, { stored }) => stored, (_, { seen }) => seen]

type Field = { readonly field: string; readonly type: Column; readonly column: string }

const base: Readonly<Record<string, Write>> = {
  id: actor => actor.id,
  state: actor => actor.state,
  rev: actor => actor.rev,
  // Written by the commit itself: it ends the lease.
  lease: () => null,
  leased_until: () => null,
}

/** Written by the commit itself, in real time. An actor of a test clock has the times of the clock. */
const times: Readonly<Record<string, (actor: Actor) => Date>> = {
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
}

const writerOf = (kind: Kind, fields: readonly Field[], column: string): Write => {
  if (column === 'version') return () => kind.version
  const known = base[column]
  if (known) return known
  const time = times[column]
  if (time) return actor => (testClockOf(kind, actor.context) === null ? null : time(actor))
  const own = fields.find(field => field.column === column)
  if (!own) throw new Error(`cannot register ${kind.name}: its context has no field for ${kind.table}.${column}`)
  const { field, type } = own
  if (type === 'json') {
    return ({ context }) =>
      context[field] === null || context[field] === undefined ? null : JSON.stringify(context[field])
  }
  return ({ context }) => context[field] as Value
}

const decodeValue = (type: Column, value: unknown): unknown => {
  if (value === null || value === undefined) return null
  if (type === 'minor') return Number(value)
  if (type === 'atomic') return BigInt(String(value))
  return value
}

/** Migrates the context of an old row to this version of the machine. */
const migrated = (kind: Kind, row: ActorRow, stored: Context): Context => {
  if (row.version > kind.version) {
    throw new NewerVersion(
      `cannot read ${kind.name} ${row.id}: it has version ${row.version}, and this process reads version ${kind.version}`,
    )
  }
  let context = stored
  for (let version = row.version; version < kind.version; version++) {
    const migrate = kind.migrations?.[version]
    if (!migrate) throw new Error(`cannot read ${kind.name} ${row.id}: there is no migration from version ${version}`)
    context = migrate(context, row.state)
  }
  return context
}

/** In a rolling restart, rows of a newer version are handled by the newer processes only. */
export class NewerVersion extends Error {
  override readonly name = 'NewerVersion'
}

import { type Actor, type Column, type Context, type Kind, snakeCase } from './kind.ts'
import type { Value } from './literals.ts'

/** A row of an actor table as postgres.js reads it. */
export type ActorRow = Record<string, unknown> & {
  readonly id: string
  readonly state: string
  readonly rev: number
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** Turns rows into actors and back. The field list is walked for every row, so it is made once per kind. */
export const rowCodec = (kind: Kind, tableColumns: readonly string[]) => {
  const fields = Object.entries(kind.columns).map(([field, type]) => ({ field, type, column: snakeCase(field) }))
  const shown = fields.filter(({ field }) => kind.history.includes(field))
  const writers = [...placeWriters, ...tableColumns.map(column => writerOf(kind, fields, column))]
  for (const { column } of fields) {
    if (!tableColumns.includes(column)) throw new Error(`cannot register ${kind.name}: ${kind.table} has no ${column}`)
  }

  const decode = (row: ActorRow): Actor => {
    const stored: Context = {}
    for (const { field, column, type } of fields) stored[field] = decodeValue(type, row[column])
    const context = migrated(kind, row, stored)
    const { id, state, rev, created_at: createdAt, updated_at: updatedAt } = row
    return { id, kind: kind.name, state, rev, context, createdAt, updatedAt }
  }

  /** The actor's entry in a commit: its place, and its values in the order of the table's columns. */
  const encode = (actor: Actor, place: RowPlace): Value[] => writers.map(write => write(actor, place))

  /** The fields history may show, as JSON. */
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

/** Makes rows, as postgres.js would have read them, of the texts that `read_<writer>` answers. */
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

/** For those that are no text when a row is decoded. */
const readText: { readonly [Type in Column]?: (text: string) => unknown } = {
  integer: Number,
  time: text => new Date(text),
  boolean: text => text === 'true',
  json: text => JSON.parse(text),
}

/** Whose actor it is, and in which mode; null where its kind has neither column. */
export type Owner = { readonly merchantId: string | null; readonly livemode: boolean | null }

/** Where a row stands in its commit: its group, and the rev and the transaction that it was left by. */
export type RowPlace = { readonly group: number; readonly stored: number; readonly seen: string | null }

type Write = (actor: Actor, place: RowPlace) => Value

/** What every entry starts with, as sql/101-actors-functions.sql has it; gather.ts does so for rows of no actor. */
const placeWriters: readonly Write[] = [(_, { group }) => group, (_, { stored }) => stored, (_, { seen }) => seen]

type Field = { readonly field: string; readonly type: Column; readonly column: string }

const base: Readonly<Record<string, Write>> = {
  id: actor => actor.id,
  state: actor => actor.state,
  rev: actor => actor.rev,
  // The commit's own business: it ends the lease it was decided under, and writes its time.
  lease: () => null,
  leased_until: () => null,
  created_at: () => null,
  updated_at: () => null,
}

const writerOf = (kind: Kind, fields: readonly Field[], column: string): Write => {
  if (column === 'version') return () => kind.version
  const known = base[column]
  if (known) return known
  const own = fields.find(field => field.column === column)
  if (!own) throw new Error(`cannot register ${kind.name}: ${kind.table}.${column} is no field of its context`)
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

/** Brings an old row's context up to this version of the machine. */
const migrated = (kind: Kind, row: ActorRow, stored: Context): Context => {
  if (row.version > kind.version) {
    throw new NewerVersion(
      `cannot read ${kind.name} ${row.id}: written by version ${row.version}, this is ${kind.version}`,
    )
  }
  let context = stored
  for (let version = row.version; version < kind.version; version++) {
    const migrate = kind.migrations?.[version]
    if (!migrate) throw new Error(`cannot read ${kind.name} ${row.id}: no way from version ${version}`)
    context = migrate(context, row.state)
  }
  return context
}

/** In a rolling restart the newer processes read their rows; this one leaves them alone. */
export class NewerVersion extends Error {
  override readonly name = 'NewerVersion'
}

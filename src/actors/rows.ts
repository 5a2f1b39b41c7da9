import { type Actor, type Column, type Context, type Kind, snakeCase } from './kind.ts'

/** A row of an actor table as postgres.js reads it. */
export type ActorRow = Record<string, unknown> & {
  readonly id: string
  readonly state: string
  readonly rev: number
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

type Codec = { readonly field: string; readonly column: string; readonly type: Column }

/** Turns rows into actors and back. The field list is walked once per row, so it is made once per kind. */
export const rowCodec = (kind: Kind) => {
  const codecs: Codec[] = Object.entries(kind.columns).map(([field, type]) => ({ field, type, column: snakeCase(field) }))
  const shown = codecs.filter(codec => kind.history.includes(codec.field))

  const decode = (row: ActorRow): Actor => {
    let context: Context = {}
    for (const { field, column, type } of codecs) context[field] = decodeValue(type, row[column])
    let state = row.state
    for (let version = row.version; version < kind.version; version++) {
      const migrate = kind.migrations?.[version]
      if (!migrate) throw new Error(`cannot read ${kind.name} ${row.id}: no way from version ${version}`)
      const migrated = migrate(context, state)
      context = migrated.context
      state = migrated.state
    }
    if (row.version > kind.version) {
      throw new Error(`cannot read ${kind.name} ${row.id}: written by version ${row.version}, this is ${kind.version}`)
    }
    return {
      id: row.id,
      kind: kind.name,
      state,
      rev: row.rev,
      context,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }
  }

  const encode = (actor: Actor): Record<string, unknown> => {
    const row: Record<string, unknown> = {
      id: actor.id,
      state: actor.state,
      rev: actor.rev,
      version: kind.version,
      created_at: actor.createdAt,
      updated_at: actor.updatedAt,
    }
    for (const { field, column, type } of codecs) row[column] = encodeValue(type, actor.context[field])
    return row
  }

  /** The fields history may show, as JSON. */
  const show = (actor: Actor): Record<string, unknown> => {
    const fields: Record<string, unknown> = {}
    for (const { field, type } of shown) fields[field] = encodeValue(type, actor.context[field])
    return fields
  }

  return { decode, encode, show }
}

const decodeValue = (type: Column, value: unknown): unknown => {
  if (value === null || value === undefined) return null
  if (type === 'minor') return Number(value)
  if (type === 'atomic') return BigInt(String(value))
  return value
}

// Dates become ISO strings when the batch is turned into JSON.
const encodeValue = (type: Column, value: unknown): unknown => {
  if (value === null || value === undefined) return null
  return type === 'atomic' ? String(value) : value
}

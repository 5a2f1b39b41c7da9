import { type Actor, type Kind, registered, snakeCase } from '../actors/kind.ts'
import { type ActorRow, rowCodec } from '../actors/rows.ts'

/** Reads rows of a kind's table as the core does, including rows of older versions. */
export const readerOf = <C>(kind: Kind<C>): ((row: ActorRow) => Actor<C>) => {
  const { decode } = rowCodec(registered(kind), Object.keys(kind.columns).map(snakeCase))
  return row => ofKind(kind, decode(row))
}

/** Restores the type of an actor's context, which the core drops. Throws if the actor is of another kind. */
export const ofKind = <C>({ name }: Kind<C>, actor: Actor | undefined): Actor<C> => {
  if (actor?.kind !== name) throw new TypeError(`expected a ${name}, got ${actor?.kind ?? 'no actor'}`)
  return actor as unknown as Actor<C>
}

/**
 * For statements that return thousands of rows: all values as texts in one JSON value. The driver's overhead per row is
 * larger than the time to parse the values.
 */
export const textsOf = <C>(kind: Kind<C>) => {
  const columns = [...BASE, ...Object.keys(kind.columns).map(snakeCase)]
  const { decode, rowOf } = rowCodec(registered(kind), columns)
  return {
    /** The expression to select, for a table with this alias. */
    texts: (table: string): string => `array[${columns.map(column => `${table}.${column}::text`).join(', ')}]`,
    read: (texts: readonly (string | null)[]): Actor<C> => ofKind(kind, decode(rowOf(texts))),
  }
}

/** The columns that all tables of actors have. */
const BASE = ['id', 'state', 'rev', 'version', 'created_at', 'updated_at']

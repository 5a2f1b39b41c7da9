import { type Actor, type Kind, registered, snakeCase } from '../actors/kind.ts'
import { type ActorRow, rowCodec } from '../actors/rows.ts'

/** Reads rows of a kind's table as the core does, those of older versions too. */
export const readerOf = <C>(kind: Kind<C>): ((row: ActorRow) => Actor<C>) => {
  const { decode } = rowCodec(registered(kind), Object.keys(kind.columns).map(snakeCase))
  return row => ofKind(kind, decode(row))
}

/** An actor as its kind knows it: the core, which looks into no context, has forgotten that. */
export const ofKind = <C>({ name }: Kind<C>, actor: Actor | undefined): Actor<C> => {
  if (actor?.kind !== name) throw new TypeError(`cannot take a ${actor?.kind ?? 'missing actor'} for a ${name}`)
  return actor as unknown as Actor<C>
}

/**
 * Reads rows of which there may be thousands: all their values as texts, in one JSON value. The driver takes longer
 * over a row than over all that is in it.
 */
export const textsOf = <C>(kind: Kind<C>) => {
  const columns = [...BASE, ...Object.keys(kind.columns).map(snakeCase)]
  const { decode, rowOf } = rowCodec(registered(kind), columns)
  return {
    /** What is selected of the table, by the name it has in a statement. */
    texts: (table: string): string => `array[${columns.map(column => `${table}.${column}::text`).join(', ')}]`,
    read: (texts: readonly (string | null)[]): Actor<C> => ofKind(kind, decode(rowOf(texts))),
  }
}

/** What every actor has beside the columns of its kind. */
const BASE = ['id', 'state', 'rev', 'version', 'created_at', 'updated_at']

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

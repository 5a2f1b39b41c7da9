import type { Actor, Context, Kind } from '../../src/actors/kind.ts'
import { kinds } from '../../src/kinds/all.ts'
import { arrive, type Cases, minutes, outcomes, type Subject, T0 } from '../machines/table.ts'

const casesOf = async ({ name }: Kind): Promise<Cases> => {
  const exported: Record<string, unknown> = await import(`../machines/${name.replaceAll('_', '-')}-cases.ts`)
  const found = Object.values(exported).find(isCases)
  if (!found) throw new Error(`${name} has no cases`)
  return found
}

const isCases = (value: unknown): value is Cases =>
  typeof value === 'object' && value !== null && 'situations' in value && 'invalidRows' in value

/** Every kind, with the situations and events of its machine's tests. */
export const subjects: readonly { readonly kind: Kind; readonly subject: Cases }[] = await Promise.all(
  kinds.map(async kind => ({ kind, subject: await casesOf(kind) })),
)

const ID = '0193a000-0000-7000-8000-00000000000f'

/** The actor in a situation of the machine's tests. */
export const actorIn = <C = Context>(kind: Kind<C>, subject: Subject, situation: string): Actor<C> =>
  actorOf(kind, arrive(subject, subject.situations[situation] ?? situation))

/** All actors that occur in the machine's tests. */
export const everyActor = (kind: Kind, subject: Subject): Actor[] =>
  outcomes(subject).map(({ after }) => actorOf(kind, after))

const actorOf = <C>(kind: Kind<C>, { value, context }: { value: unknown; context: C }): Actor<C> => ({
  id: ID,
  kind: kind.name,
  state: String(value),
  rev: 1,
  context,
  createdAt: T0,
  updatedAt: minutes(1),
})

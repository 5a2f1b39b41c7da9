import type { Unit } from './batch.ts'

/**
 * Units that change the same actor share a group: if one of them must be decided again, so must those that were decided
 * on top of it. Returns the group of every unit and of every actor.
 */
export const groupUnits = (units: readonly Unit[]) => {
  const parents: number[] = units.map((_, g) => g)
  const root = (g: number): number => {
    let at = g
    for (let up = parents[at] ?? at; up !== at; up = parents[at] ?? at) at = up
    return at
  }
  const firstTouch = new Map<string, number>()
  for (const [g, { commands }] of units.entries()) {
    for (const { actor } of commands) {
      const other = firstTouch.get(actor)
      if (other === undefined) firstTouch.set(actor, g)
      else parents[root(g)] = root(other)
    }
  }
  return {
    ofUnit: (index: number): number => root(index),
    ofActor: (actor: string): number => root(firstTouch.get(actor) ?? 0),
  }
}

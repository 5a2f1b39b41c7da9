import type { AnyStateNode } from 'xstate'
import { CREATE } from '../../actors/command.ts'
import type { Kind } from '../../actors/kind.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Fragment } from '../../queries/list-rows.ts'

/** Consecutive events without history entries: their first and last state, and how much they increase the rev. */
type Gap = { readonly kind: string; readonly from: string | null; readonly to: string; readonly revs: number }

/** All gaps that a history of the kind can have, of one or more events. */
export const gapsOf = (kind: Kind): Gap[] => {
  const steps = stepsOf(kind)
  const gaps = [...steps]
  for (const gap of gaps)
    for (const step of steps)
      if (step.from === gap.to && !gaps.some(({ from, to }) => from === gap.from && to === step.to))
        gaps.push({ ...gap, to: step.to, revs: gap.revs + 1 })
  return gaps
}

const stepsOf = ({ name: kind, machine, unrecorded = [] }: Kind): Gap[] => {
  const [first] = machine.root.initial.target ?? []
  const nodes = Object.values(machine.states) as AnyStateNode[]
  const created = unrecorded.includes(CREATE) && first ? [{ kind, from: null, to: first.key, revs: 1 }] : []
  return [
    ...created,
    ...nodes.flatMap(node =>
      unrecorded
        .flatMap(event => node.transitions.get(event) ?? [])
        .map(({ target }) => ({ kind, from: node.key, to: target?.[0]?.key ?? node.key, revs: 1 })),
    ),
  ]
}

export const isCreationRecorded = ({ unrecorded = [] }: Kind): boolean => !unrecorded.includes(CREATE)

/** Whether unrecorded events lead from one state to the other in `revs` steps. */
export const isGap = (
  sql: Sql,
  gaps: readonly Gap[],
  { kind, from, to, revs }: Readonly<Record<'kind' | 'from' | 'to' | 'revs', Fragment>>,
): Fragment =>
  gaps
    .map<Fragment>(
      gap => sql`
        (${kind} = ${gap.kind} and ${from} is not distinct from ${gap.from}::text and ${to} = ${gap.to} and ${revs} = ${gap.revs})`,
    )
    .reduce((some, more) => sql`${some} or ${more}`, sql`false`)

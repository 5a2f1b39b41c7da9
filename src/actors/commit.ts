import type { Clock } from '../clock.ts'
import type { Sql } from '../postgres/connect.ts'
import { nameOf } from './command.ts'
import type { Head, Step, Unit } from './decide.ts'
import { groupUnits } from './groups.ts'
import { isDuplicateRows } from './postgres-errors.ts'
import type { Registry } from './registry.ts'

/** A unit whose commands were all decided, with what they leave behind. */
export type Decided<U extends Unit> = { readonly unit: U; readonly steps: readonly Step[] }

export type CommitAnswer<U extends Unit> = {
  /** Their rows had moved on: they must be decided again. The others are committed. */
  readonly conflicted: ReadonlySet<U>
  /** Rows they would insert are already there. When there are any, nothing is committed at all. */
  readonly duplicated: ReadonlyMap<U, Duplicate>
}

/** `alone`: no other unit of the batch touches the same actors, so the row is this unit's own. */
export type Duplicate = { readonly constraint: string; readonly alone: boolean }

export type Batch<U extends Unit> = {
  readonly decided: readonly Decided<U>[]
  readonly heads: ReadonlyMap<string, Head>
  readonly at: Date
  /** Held on the actors of the batch, or null. */
  readonly lease: string | null
}

type Rows = Record<string, unknown>[]
type ByTable = Record<string, Rows>

/** Writes what a batch decided: one statement, whatever is in it. */
export const commitBatch = async <U extends Unit>(
  sql: Sql,
  clock: Clock,
  registry: Registry,
  batch: Batch<U>,
): Promise<CommitAnswer<U>> => {
  const units = batch.decided.map(({ unit }) => unit)
  const groups = groupUnits(units)
  const unitsIn = (wanted: readonly number[]): Set<U> =>
    new Set(wanted.length === 0 ? [] : units.filter((_, index) => wanted.includes(groups.ofUnit(index))))
  const duplicateUnits = ({ g, constraint }: { g: number; constraint: string }): [U, Duplicate][] => {
    const group = [...unitsIn([g])]
    return group.map(unit => [unit, { constraint, alone: group.length === 1 }])
  }
  const effects = gatherEffects(batch, groups.ofUnit)
  const { locks, updates, inserts } = gatherRows(registry, batch, groups, effects.inserts)
  const asked = performance.now()
  try {
    const [answer] = await sql<{ conflicts: number[] | null; now: Date }[]>`
      select now(), commit_actors(
        ${batch.at}, ${json(locks)}::text::json, ${json(updates)}::text::json, ${json(inserts)}::text::json,
        ${json(effects.history)}::text::json, ${json(effects.published)}::text::json,
        ${json(effects.armed)}::text::json, ${json(effects.canceled)}::text::json,
        ${json(effects.jobs)}::text::json) as conflicts`
    if (answer) clock.learn(answer.now, performance.now() - asked)
    return { conflicted: unitsIn(answer?.conflicts ?? []), duplicated: new Map() }
  } catch (error) {
    if (!isDuplicateRows(error)) throw error
    const duplicates: { g: number; constraint: string }[] = JSON.parse(error.detail)
    return { conflicted: new Set(), duplicated: new Map(duplicates.flatMap(duplicateUnits)) }
  }
}

const gatherEffects = <U extends Unit>({ decided }: Batch<U>, groupOf: (unit: number) => number) => {
  const history: Rows = []
  const published: Rows = []
  const jobs: Rows = []
  const inserts: ByTable = {}
  // Armed and left, or left and entered again: what remains is one operation per timer.
  const timers = new Map<string, Record<string, unknown> & { due_at: Date | null }>()

  for (const [index, { steps }] of decided.entries()) {
    const g = groupOf(index)
    for (const { kind, command, keyed, from, after, shown, ...step } of steps) {
      history.push({
        g,
        actor: after.id,
        rev: after.rev,
        kind: kind.name,
        command: command.id,
        keyed,
        event: nameOf(command),
        from_state: from,
        to_state: after.state,
        cause: command.cause ?? null,
        context: shown,
      })
      for (const event of step.published) published.push({ g, ...event })
      for (const job of step.jobs) jobs.push({ g, ...job })
      for (const { name, dueAt } of step.timers) {
        const armed = { g, actor: after.id, name, kind: kind.name, generation: after.rev, due_at: dueAt }
        timers.set(`${after.id} ${name}`, armed)
      }
      for (const { table, row } of command.rows ?? []) push(inserts, table, { g, ...row })
    }
  }
  const armed = [...timers.values()].filter(timer => timer.due_at !== null)
  const canceled = [...timers.values()].filter(timer => timer.due_at === null)
  return { history, published, jobs, inserts, armed, canceled }
}

/** One row per actor, as the last command of the batch left it. */
const gatherRows = <U extends Unit>(
  registry: Registry,
  { decided, heads, lease }: Batch<U>,
  groups: ReturnType<typeof groupUnits>,
  inserts: ByTable,
) => {
  const locks: ByTable = {}
  const updates: ByTable = {}
  const written = new Set(decided.flatMap(({ steps }) => steps.map(({ after }) => after.id)))
  for (const id of written) {
    const head = heads.get(id)
    if (!head) continue
    const { table } = head.kind
    const g = groups.ofActor(id)
    const row = { g, ...registry.get(head.kind.name).encode(head.actor) }
    if (head.stored === 0) push(inserts, table, row)
    else {
      push(locks, table, { g, id, rev: head.stored, lease })
      push(updates, table, row)
    }
  }
  return { locks, updates, inserts }
}

const push = (tables: ByTable, table: string, row: Record<string, unknown>): void => {
  const rows = tables[table]
  if (rows) rows.push(row)
  else tables[table] = [row]
}

// Null where there is nothing, so that the function can skip the statement.
const json = (value: ByTable | Rows) => ((Array.isArray(value) ? value : Object.keys(value)).length === 0 ? null : JSON.stringify(value))

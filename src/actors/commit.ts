import type { Clock } from '../clock.ts'
import type { Sql } from '../postgres/connect.ts'
import { nameOf } from './command.ts'
import type { Head, Step, Unit } from './decide.ts'
import { groupUnits } from './groups.ts'
import { rowsLiteral, type Value } from './literals.ts'
import { isDuplicateRows } from './postgres-errors.ts'
import { headKey } from './read.ts'
import type { Registry } from './registry.ts'

/** A unit whose commands were all decided, with what they leave behind. */
export type Decided<U extends Unit> = { readonly unit: U; readonly steps: readonly Step[] }

export type CommitAnswer<U extends Unit> = {
  /** Their rows had moved on: they must be decided again. The others are committed. */
  readonly conflicted: ReadonlySet<U>
  /** Rows they would insert are already there. When there are any, nothing is committed at all. */
  readonly duplicated: ReadonlyMap<U, Duplicate>
}

/** `certain`: the row in the way is committed, and what would meet it is this unit's own. */
export type Duplicate = { readonly constraint: string; readonly certain: boolean }

export type Batch<U extends Unit> = {
  readonly decided: readonly Decided<U>[]
  readonly heads: ReadonlyMap<string, Head>
  readonly at: Date
  /** Held on the actors of the batch, or null. */
  readonly lease: string | null
}

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
  const duplicateUnits = ({ g, constraint, certain }: Duplicate & { g: number }): [U, Duplicate][] => {
    const group = [...unitsIn([g])]
    return group.map(unit => [unit, { constraint, certain: certain && group.length === 1 }])
  }
  const effects = gatherEffects(registry, batch, groups.ofUnit)
  const { updates, inserts, connected } = gatherRows(registry, batch, groups, effects.inserts)
  const number = nextNumber()
  const asked = performance.now()
  try {
    const [answer] = await sql<{ conflicts: number[] | null; now: Date }[]>`
      select now(), commit_actors(
        ${number}::integer, ${batch.at}, ${batch.lease}, ${connected},
        ${writersOf(updates)}::text::text[], ${literalsOf(sql, updates)},
        ${writersOf(inserts)}::text::text[], ${literalsOf(sql, inserts)},
        ${rows(effects.steps)}::text::step_entry[],
        ${json(effects.contexts)}::text::json, ${json(effects.objects)}::text::json,
        ${rows(effects.armed)}::text::timer_entry[], ${rows(effects.canceled)}::text::canceled_entry[],
        ${rows(effects.jobs)}::text::job_entry[], ${json(effects.payloads)}::text::json) as conflicts`
    if (answer) clock.learn(answer.now, performance.now() - asked)
    return { conflicted: unitsIn(answer?.conflicts ?? []), duplicated: new Map() }
  } catch (error) {
    if (!isDuplicateRows(error)) throw error
    const { batch: its, duplicates } = JSON.parse(error.detail) as Refusals
    // postgres.js rejects a statement with an old error when the connection before was cut behind that error.
    if (its !== number) throw Object.assign(new Error('the answer is that of another commit'), { code: 'ECONNRESET' })
    return { conflicted: new Set(), duplicated: new Map(duplicates.flatMap(duplicateUnits)) }
  }
}

// The order of the fields is that of the `_entry` types in sql/001-actors.sql.
const gatherEffects = <U extends Unit>(
  registry: Registry,
  { decided }: Batch<U>,
  groupOf: (unit: number) => number,
) => {
  const entries: Value[][] = []
  const contexts: unknown[] = []
  const objects: unknown[] = []
  let publishes = false
  const jobs: JobEntry[] = []
  const keyedJobs = new Map<string, JobEntry>()
  const inserts: Tables = new Map()
  // Armed and left, or left and entered again: what remains of a timer is whether the row that was there
  // goes, and whether one comes.
  const armed = new Map<string, Value[]>()
  const canceled = new Map<string, Value[]>()

  for (const [index, { steps }] of decided.entries()) {
    const g = groupOf(index)
    for (const step of steps) {
      const { kind, from, after, published } = step
      const { id, rev } = after
      const first = published[0]
      entries.push(stepEntry(g, step, first))
      contexts.push(step.shown)
      objects.push(first?.event.object ?? null)
      publishes ||= first !== undefined
      for (let n = 1; n < published.length; n++) {
        const other = published[n]
        entries.push([g, id, rev, kind.name, ...NO_STEP, ...eventFields(other)])
        contexts.push(null)
        objects.push(other?.event.object)
      }
      for (const { job, effect } of step.jobs) {
        const { task, key, runAt } = job
        const same = key === undefined ? undefined : keyedJobs.get(key)
        if (same) {
          same.groups.add(g)
          continue
        }
        const entry = { groups: new Set([g]), task, effect, runAt, key, payload: { ...job.payload, effect } }
        jobs.push(entry)
        if (key !== undefined) keyedJobs.set(key, entry)
      }
      for (const { name, dueAt } of step.timers) {
        const key = `${id} ${name}`
        if (dueAt) armed.set(key, [g, id, name, kind.name, rev, dueAt.getTime()])
        else {
          if (from !== null) canceled.set(key, [g, id, name])
          armed.delete(key)
        }
      }
      for (const { table, row } of step.rows) {
        const writer = registry.writerOf(table)
        add(inserts, writer.name, [g, 0, ...writer.columns.map(column => row[column])])
      }
    }
  }
  return {
    steps: entries,
    contexts,
    objects: publishes ? objects : [],
    jobs: jobs.map(({ groups, task, effect, runAt, key }) => [`{${[...groups]}}`, task, effect, runAt, key]),
    payloads: jobs.map(({ payload }) => payload),
    inserts,
    armed: [...armed.values()],
    canceled: [...canceled.values()],
  }
}

/** Jobs of one key are one job, whoever asked for it. */
type JobEntry = {
  readonly groups: Set<number>
  readonly task: string
  readonly effect: string
  readonly runAt: Date | undefined
  readonly key: string | undefined
  readonly payload: Readonly<Record<string, unknown>>
}

const stepEntry = (g: number, { kind, command, keyed, from, after }: Step, first: Published | undefined): Value[] => [
  g,
  after.id,
  after.rev,
  kind.name,
  command.id,
  keyed,
  nameOf(command),
  from,
  after.state,
  command.cause,
  first?.eventId,
  first?.type,
  first?.event.merchantId,
  first?.event.livemode,
  first?.event.apiVersion,
]

type Published = Step['published'][number]

const NO_STEP: Value[] = [null, null, null, null, null, null]

const eventFields = (published: Published | undefined): Value[] => [
  published?.eventId,
  published?.type,
  published?.event.merchantId,
  published?.event.livemode,
  published?.event.apiVersion,
]

/** One row per actor, as the last command of the batch left it. */
const gatherRows = <U extends Unit>(
  registry: Registry,
  { decided, heads }: Batch<U>,
  groups: ReturnType<typeof groupUnits>,
  inserts: Tables,
) => {
  const updates: Tables = new Map()
  const written = new Set<string>()
  for (const { steps } of decided) for (const { command } of steps) written.add(headKey(command))
  const changing = new Set<number>()
  let connected = false
  for (const key of [...written].sort()) {
    const head = heads.get(key)
    if (!head) continue
    const g = groups.ofActor(head.actor.id)
    const entry = [g, head.stored, ...registry.get(head.kind.name).encode(head.actor)]
    const writer = registry.writerOf(head.kind.table).name
    if (head.stored === 0) add(inserts, writer, entry)
    else {
      add(updates, writer, entry)
      connected ||= changing.has(g)
      changing.add(g)
    }
  }
  return { updates, inserts, connected }
}

type Refusals = { readonly batch: number; readonly duplicates: readonly (Duplicate & { readonly g: number })[] }

let numbered = 0

/** Of a batch among those of this process. */
const nextNumber = (): number => {
  numbered = (numbered + 1) % 2 ** 31
  return numbered
}

type Tables = Map<string, Value[][]>

const add = (tables: Tables, table: string, entry: Value[]): void => {
  const entries = tables.get(table)
  if (entries) entries.push(entry)
  else tables.set(table, [entry])
}

// Null where there is nothing, so that the function can skip the statement.
const rows = (entries: Value[][]) => (entries.length === 0 ? null : rowsLiteral(entries))
const json = (values: unknown[]) => (values.length === 0 ? null : JSON.stringify(values))

// In one order for everybody, since locks are taken in it.
const inOrder = (tables: Tables) => [...tables].sort(([a], [b]) => (a < b ? -1 : 1))

const writersOf = (tables: Tables): string => `{${inOrder(tables).map(([writer]) => writer)}}`

/** Each a parameter of its own: what is put into another literal must be escaped, and read, once more. */
const literalsOf = (sql: Sql, tables: Tables) => {
  const [first, ...others] = inOrder(tables).map(([, entries]) => rowsLiteral(entries))
  if (first === undefined) return sql`'{}'::text[]`
  const rest = others.map(literal => sql`, ${literal}::text`)
  return sql`array[${first}::text ${rest.length === 0 ? sql`` : rest}]`
}

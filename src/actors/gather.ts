import type { ActorStep, Batch, Unit } from './batch.ts'
import { commandName } from './command.ts'
import type { groupUnits } from './groups.ts'
import { openObjectWriter } from './json-layouts.ts'
import type { Value } from './literals.ts'
import type { Registry } from './registry.ts'

// The order of the fields is that of the `_entry` types in sql/001-actors.sql.

/** The entries for everything that the steps of a batch write besides their actors' rows. */
export const gatherEffects = <U extends Unit>(
  registry: Registry,
  { decided, heads }: Batch<U>,
  groupOf: (unit: number) => number,
) => {
  const entries: Value[][] = []
  const contexts: (object | null)[] = []
  const objects: (object | null)[] = []
  let publishes = false
  const jobs: JobEntry[] = []
  const keyedJobs = new Map<string, JobEntry>()
  const inserts: Tables = new Map()
  const writes: Value[][] = []
  // A batch may arm and cancel a timer several times. Only the net result is written: whether the existing row is
  // deleted, and whether a new one is inserted.
  const armed = new Map<string, Value[]>()
  const canceled = new Map<string, Value[]>()
  const clocks = new Map<string, Value[]>()

  for (const [index, { steps }] of decided.entries()) {
    const g = groupOf(index)
    for (const step of steps) {
      const { kind, from, after, published } = step
      const { id, rev } = after
      const first = published[0]
      const { isRecorded, clock } = step
      if (clock) clocks.set(`${g} ${clock.id}`, [g, clock.id, clock.now.getTime()])
      if (isRecorded) {
        entries.push(stepEntry(g, step, first))
        contexts.push(step.shown)
        objects.push(first?.event.object ?? null)
      }
      publishes ||= first !== undefined
      for (let n = isRecorded ? 1 : 0; n < published.length; n++) {
        const other = published[n]
        entries.push([g, id, rev, kind.name, ...NO_STEP, ...eventFields(other)])
        contexts.push(null)
        objects.push(other?.event.object ?? null)
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
        const planned = kind.hasPlannedTimers ?? false
        if (dueAt) armed.set(key, [g, id, name, kind.name, rev, dueAt.getTime(), planned, clock?.id])
        else {
          if (from !== null) canceled.set(key, [g, id, name])
          armed.delete(key)
        }
      }
      for (const { function: name, given = {} } of step.writes)
        writes.push([g, id, heads.get(step.command.key)?.stored === 0, name, given])
      for (const { table, row } of step.rows) {
        const writer = registry.writerOf(table)
        add(inserts, writer.name, [g, 0, null, ...writer.columns.map(column => row[column])])
      }
    }
  }
  const writer = openObjectWriter()
  return {
    steps: entries,
    contexts: writer.linesOf(contexts),
    objects: publishes ? writer.linesOf(objects) : null,
    layouts: writer.layouts(),
    jobs: jobs.map(({ groups, task, effect, runAt, key }) => [`{${[...groups]}}`, task, effect, runAt, key]),
    payloads: jobs.map(({ payload }) => payload),
    inserts,
    // In the order in which rows are locked: by actor id, and for each actor in the order of its steps.
    writes: writes.sort(([, a], [, b]) => (String(a) < String(b) ? -1 : a === b ? 0 : 1)),
    armed: [...armed.values()],
    canceled: [...canceled.values()],
    clocks: [...clocks.values()],
  }
}

/** Jobs with the same key become one job. */
type JobEntry = {
  readonly groups: Set<number>
  readonly task: string
  readonly effect: string
  readonly runAt: Date | undefined
  readonly key: string | undefined
  readonly payload: Readonly<Record<string, unknown>>
}

const stepEntry = (
  g: number,
  { kind, command, keyed, from, after, owner }: ActorStep,
  first: Published | undefined,
): Value[] => [
  g,
  after.id,
  after.rev,
  kind.name,
  command.id,
  keyed,
  commandName(command),
  from,
  after.state,
  command.cause,
  after.createdAt.getTime(),
  first?.event.merchantId ?? owner.merchantId,
  first?.event.livemode ?? owner.livemode,
  first?.eventId,
  first?.type,
  first?.event.apiVersion,
]

type Published = ActorStep['published'][number]

const NO_STEP: Value[] = [null, null, null, null, null, null, null]

const eventFields = (published: Published | undefined): Value[] => [
  published?.event.merchantId,
  published?.event.livemode,
  published?.eventId,
  published?.type,
  published?.event.apiVersion,
]

/** One row per actor, as it is after the last command of the batch. */
export const gatherRows = <U extends Unit>(
  registry: Registry,
  { decided, heads }: Batch<U>,
  groups: ReturnType<typeof groupUnits>,
  inserts: Tables,
) => {
  const updates: Tables = new Map()
  const written = new Set<string>()
  for (const { steps } of decided) for (const { command } of steps) written.add(command.key)
  const changing = new Set<number>()
  let connected = false
  for (const key of [...written].sort()) {
    const head = heads.get(key)
    if (!head) continue
    const { actor, stored, seen } = head
    const group = groups.ofActor(actor.id)
    const entry = registry.get(head.kind.name).encode(actor, { group, stored, seen })
    const writer = registry.writerOf(head.kind.table).name
    if (stored === 0) add(inserts, writer, entry)
    else {
      add(updates, writer, entry)
      connected ||= changing.has(group)
      changing.add(group)
    }
  }
  return { updates, inserts, connected }
}

/** Entries by the writer of their table. */
export type Tables = Map<string, Value[][]>

const add = (tables: Tables, table: string, entry: Value[]): void => {
  const entries = tables.get(table)
  if (entries) entries.push(entry)
  else tables.set(table, [entry])
}

import type { Dependencies } from '../dependencies.ts'
import { uuidv7 } from '../ids.ts'
import { type Command, keyOf } from './command.ts'
import { decider } from './decide.ts'
import { type Context, type Kind, snakeCase } from './kind.ts'
import type { Registry } from './registry.ts'
import { type ActorRow, rowCodec } from './rows.ts'
import { stepper } from './step.ts'
import { readClockTimes, testClockOfRow } from './test-clocks.ts'

/** What an event would do to an actor. */
export type Preview =
  | {
      readonly ok: true
      readonly state: string
      /** The fields that histories show. */
      readonly context: Context
      /** Types of the public events. */
      readonly events: readonly string[]
      /** Canceled if `dueAt` is null. */
      readonly timers: readonly { readonly name: string; readonly dueAt: Date | null }[]
      readonly jobs: readonly { readonly task: string; readonly runAt: Date | null }[]
    }
  /** `isFault`: the machine has thrown. */
  | { readonly ok: false; readonly possible: readonly string[]; readonly isFault?: true }

/** Decides an event as a commit would, from a row that was read, and commits nothing. */
export const openPreview = (kinds: readonly Kind[]) => {
  const registered = new Map(
    kinds.map(kind => [
      kind.name,
      { kind, ...rowCodec(kind, Object.keys(kind.columns).map(snakeCase)), ...stepper(kind) },
    ]),
  )
  const registry: Pick<Registry, 'get'> = {
    get: name => registered.get(name) ?? unknown(name),
  }
  return async (
    { sql, clock, random }: Pick<Dependencies, 'sql' | 'clock' | 'random'>,
    kind: string,
    row: ActorRow,
    event: Extract<Command, { event: unknown }>['event'],
  ): Promise<Preview> => {
    const testClock = testClockOfRow(registry.get(kind).kind, row)
    const clocks = await readClockTimes(sql, new Set(testClock === null ? [] : [testClock]))
    const at = clock.now()
    const key = keyOf(kind, row.id)
    const read = { row, seen: '', done: new Set<string>(), timers: new Map<string, number>() }
    const command = { kind, actor: row.id, event, id: uuidv7(at, random), key }
    const verdict = decider(registry, new Map([[key, read]]), { at, clocks }, random).decide({
      commands: [command],
      keyed: false,
    })
    if (verdict.verdict === 'fault') return { ok: false, possible: [], isFault: true }
    if (verdict.verdict === 'refused') return { ok: false, possible: verdict.refused.possible }
    const [step] = verdict.steps
    if (!step) throw new Error('cannot preview the event: it made no step')
    return {
      ok: true,
      state: step.after.state,
      context: step.shown,
      events: step.published.map(({ type }) => type),
      timers: step.timers,
      jobs: step.jobs.map(({ job }) => ({ task: job.task, runAt: job.runAt ?? null })),
    }
  }
}

const unknown = (name: string): never => {
  throw new Error(`no machine is registered as ${name}`)
}

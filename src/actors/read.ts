import type { Sql } from '../postgres/connect.ts'
import { onlyRow } from '../postgres/errors.ts'
import type { PendingUnit, ReadActor } from './batch.ts'
import { type IdentifiedCommand, keyOf } from './command.ts'
import type { Registry } from './registry.ts'
import { clocksOfActors, readClockTimes, testClockOf } from './test-clocks.ts'

export type ReadRequest = {
  readonly commands: readonly IdentifiedCommand[]
  /** Which command ids to look up in the history: those that callers chose, or all after a lost answer. */
  readonly seek: 'none' | 'keyed' | 'all'
}

export const readRequestOf = ({ commands, keyed, phase }: PendingUnit): ReadRequest => ({
  commands,
  seek: phase === 'fresh' ? (keyed ? 'keyed' : 'none') : 'all',
})

const NONE: ReadonlySet<string> = new Set()
const NO_TIMERS: ReadonlyMap<string, number> = new Map()

/** What to read of one kind: actors, and pairs of an actor with a command's id or a timer's name. */
type KindRequest = {
  readonly ids: Set<string>
  readonly commandActors: string[]
  readonly commands: string[]
  readonly timerActors: string[]
  readonly timers: string[]
}

/**
 * Reads the actors of a batch with one statement per table, and the test clocks that they belong to. `era` is the era of the
 * transactions in `seen`.
 */
export const readActors = async (sql: Sql, registry: Registry, requests: readonly ReadRequest[]) => {
  const reads = new Map<string, ReadActor>()
  const every = requests.some(({ seek }) => seek === 'all')
  const clocks = new Map<string, Date>()
  let era: number | null = null

  const readKind = async (name: string, { ids, commandActors, commands, timerActors, timers }: KindRequest) => {
    const { kind, rowOf } = registry.get(name)
    const reader = sql(`read_${registry.writerOf(kind.table).name}`)
    const ofClocks = clocksOfActors(sql, kind, [...ids])
    // The statement always returns one row, also if an actor does not exist. A lost row is an error, not a refusal.
    const answer = onlyRow(
      commands.length + timers.length > 0
        ? await sql<Answer[]>`
            select
              current_era() as era, (select found from ${reader}(${idsLiteral([...ids])}::text::uuid[])), ${ofClocks} as clocks,
              (select json_agg(json_build_array(actor, command))
                from find_taken(${idsLiteral(commandActors)}::text::uuid[], ${idsLiteral(commands)}::text::uuid[], ${every})) as taken,
              (select json_agg(json_build_array(actor, name, generation))
                from find_armed(${idsLiteral(timerActors)}::text::uuid[], ${timers}::text[])) as armed`
        : await sql<Answer[]>`
            select current_era() as era, ${ofClocks} as clocks, found
            from ${reader}(${idsLiteral([...ids])}::text::uuid[])`,
    )
    era = Math.min(era ?? answer.era, answer.era)
    const done = new Map<string, Set<string>>()
    for (const [actor, command] of answer.taken ?? []) done.set(actor, (done.get(actor) ?? new Set()).add(command))
    const armed = new Map<string, Map<string, number>>()
    for (const [actor, timer, generation] of answer.armed ?? []) {
      armed.set(actor, (armed.get(actor) ?? new Map()).set(timer, generation))
    }
    for (const [clock, now] of answer.clocks ?? []) clocks.set(clock, new Date(now))
    for (const [seen, ...texts] of answer.found ?? []) {
      const row = rowOf(texts)
      const { id } = row
      reads.set(keyOf(name, id), {
        row,
        seen: seen ?? '',
        done: done.get(id) ?? NONE,
        timers: armed.get(id) ?? NO_TIMERS,
      })
    }
  }

  const opening = requests.flatMap(({ commands }) =>
    commands.flatMap(command =>
      'create' in command ? (testClockOf(registry.get(command.kind).kind, command.create) ?? []) : [],
    ),
  )
  const [ofOpening] = await Promise.all([
    readClockTimes(sql, new Set(opening)),
    ...[...byKind(requests)].map(([name, request]) => readKind(name, request)),
  ])
  return { reads, era, clocks: new Map([...clocks, ...ofOpening]) }
}

type Answer = {
  readonly era: number
  readonly clocks: readonly (readonly [id: string, now: string])[] | null
  readonly found: readonly (readonly (string | null)[])[] | null
  readonly taken?: readonly (readonly [actor: string, command: string])[] | null
  readonly armed?: readonly (readonly [actor: string, timer: string, generation: number])[] | null
}

const idsLiteral = (ids: readonly string[]): string => `{${ids.join(',')}}`

const byKind = (requests: readonly ReadRequest[]) => {
  const kinds = new Map<string, KindRequest>()
  for (const { commands, seek } of requests) {
    for (const command of commands) {
      // A new actor has no row to read, unless an earlier attempt may have created it.
      if ('create' in command && seek === 'none') continue
      const request = kinds.get(command.kind) ?? {
        ids: new Set(),
        commandActors: [],
        commands: [],
        timerActors: [],
        timers: [],
      }
      kinds.set(command.kind, request)
      request.ids.add(command.actor)
      if (seek !== 'none') {
        request.commandActors.push(command.actor)
        request.commands.push(command.id)
      }
      if ('timer' in command) {
        request.timerActors.push(command.actor)
        request.timers.push(command.timer.name)
      }
    }
  }
  return kinds
}

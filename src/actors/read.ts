import type { Sql } from '../postgres/connect.ts'
import type { Command } from './command.ts'
import type { Registry } from './registry.ts'
import type { ActorRow } from './rows.ts'

/** An actor's row and what else its commands must know, seen in one snapshot. */
export type Read = {
  readonly row: ActorRow
  /** Which of the asked command ids it has already taken. */
  readonly done: ReadonlySet<string>
  /** The generations of the asked timers. */
  readonly timers: ReadonlyMap<string, number>
}

export type Asking = {
  readonly commands: readonly (Command & { readonly id: string })[]
  /** Which command ids to look for: those a caller may send again, or after a lost answer all. */
  readonly seek: 'none' | 'keyed' | 'all'
}

const NONE: ReadonlySet<string> = new Set()
const NO_TIMERS: ReadonlyMap<string, number> = new Map()

/** Two kinds may be asked for one id, by a caller who made it up. */
export const headKey = ({ kind, actor }: { readonly kind: string; readonly actor: string }): string =>
  `${kind} ${actor}`

type Asked = { actor: string; commands: string[]; timers: string[] }

/** Reads the actors of a batch, one statement per table. */
export const readActors = async (sql: Sql, registry: Registry, askings: readonly Asking[]) => {
  const reads = new Map<string, Read>()

  const readKind = async (name: string, asked: Asked[]) => {
    const { kind, rowOf } = registry.get(name)
    const reader = sql(`read_${registry.writerOf(kind.table).name}`)
    const ids = `{${asked.map(({ actor }) => actor).join(',')}}`
    const [answer] = asked.some(({ commands, timers }) => commands.length + timers.length > 0)
      ? await sql<Answer[]>`
          select
            (select found from ${reader}(${ids}::text::uuid[])),
            (select json_agg(json_build_array(actor, done, timers))
              from read_commands(${JSON.stringify(asked)}::text::json, ${askings.some(({ seek }) => seek === 'all')})) as extras`
      : await sql<Answer[]>`select found from ${reader}(${ids}::text::uuid[])`
    const extras = new Map(answer?.extras?.map(([actor, done, timers]) => [actor, { done, timers }]))
    for (const texts of answer?.found ?? []) {
      const row = rowOf(texts)
      const { done, timers } = extras.get(row.id) ?? NO_EXTRA
      reads.set(headKey({ kind: name, actor: row.id }), {
        row,
        done: done.length > 0 ? new Set(done) : NONE,
        timers: timers ? new Map(Object.entries(timers)) : NO_TIMERS,
      })
    }
  }

  await Promise.all([...byKind(askings)].map(([name, asked]) => readKind(name, [...asked.values()])))
  return reads
}

type Answer = {
  readonly found: readonly (readonly (string | null)[])[] | null
  readonly extras?: readonly (readonly [actor: string, done: string[], timers: Timers])[] | null
}
type Timers = Readonly<Record<string, number>> | null

const NO_EXTRA: { readonly done: readonly string[]; readonly timers: Timers } = { done: [], timers: null }

const byKind = (askings: readonly Asking[]) => {
  const kinds = new Map<string, Map<string, Asked>>()
  for (const { commands, seek } of askings) {
    for (const command of commands) {
      // A new actor has no row to read, unless an earlier try may have made it.
      if ('create' in command && seek === 'none') continue
      const actors = kinds.get(command.kind) ?? new Map<string, Asked>()
      kinds.set(command.kind, actors)
      const asked = actors.get(command.actor) ?? { actor: command.actor, commands: [], timers: [] }
      actors.set(command.actor, asked)
      if (seek !== 'none') asked.commands.push(command.id)
      if ('timer' in command) asked.timers.push(command.timer.name)
    }
  }
  return kinds
}

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
type Extra = { done: string[] | null; timers: Record<string, number> | null }

/** Reads the actors of a batch, one statement per table. */
export const readActors = async (sql: Sql, registry: Registry, askings: readonly Asking[]) => {
  const reads = new Map<string, Read>()
  const remember = (kind: string, row: ActorRow & Partial<Extra>) =>
    reads.set(headKey({ kind, actor: row.id }), {
      row,
      done: row.done ? new Set(row.done) : NONE,
      timers: row.timers ? new Map(Object.entries(row.timers)) : NO_TIMERS,
    })

  const readKind = async (name: string, asked: Asked[]) => {
    const { table } = registry.get(name).kind
    const ids = `{${asked.map(({ actor }) => actor).join(',')}}`
    if (!asked.some(({ commands, timers }) => commands.length + timers.length > 0)) {
      const rows = await sql<ActorRow[]>`select * from ${sql(table)} where id = any(${ids}::text::uuid[])`
      for (const row of rows) remember(name, row)
      return
    }
    const every = askings.some(({ seek }) => seek === 'all')
    const rows = await sql<(ActorRow & Extra)[]>`
      select t.*, c.done, c.timers
      from ${sql(table)} t
      left join read_commands(${JSON.stringify(asked)}::text::json, ${every}) c on c.actor = t.id
      where t.id = any(${ids}::text::uuid[])`
    for (const row of rows) remember(name, row)
  }

  await Promise.all([...byKind(askings)].map(([name, asked]) => readKind(name, [...asked.values()])))
  return reads
}

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

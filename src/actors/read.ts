import type { Sql } from '../postgres/connect.ts'
import { onlyRow } from '../postgres/errors.ts'
import type { Pending, Read } from './batch.ts'
import { type Carried, keyOf } from './command.ts'
import type { Registry } from './registry.ts'

export type ReadRequest = {
  readonly commands: readonly Carried[]
  /** Which command ids to look for: those a caller may send again, or after a lost answer all. */
  readonly seek: 'none' | 'keyed' | 'all'
}

export const askingOf = ({ commands, keyed, phase }: Pending): ReadRequest => ({
  commands,
  seek: phase === 'fresh' ? (keyed ? 'keyed' : 'none') : 'all',
})

const NONE: ReadonlySet<string> = new Set()
const NO_TIMERS: ReadonlyMap<string, number> = new Map()

/** What is asked of one kind: its actors, and pairs of an actor with a command's id or a timer's name. */
type Asked = {
  readonly ids: Set<string>
  readonly takers: string[]
  readonly commands: string[]
  readonly armers: string[]
  readonly timers: string[]
}

/** Reads the actors of a batch, one statement per table. The era is that of the transactions in `seen`. */
export const readActors = async (sql: Sql, registry: Registry, askings: readonly ReadRequest[]) => {
  const reads = new Map<string, Read>()
  const every = askings.some(({ seek }) => seek === 'all')
  let era: number | null = null

  const readKind = async (name: string, { ids, takers, commands, armers, timers }: Asked) => {
    const { kind, rowOf } = registry.get(name)
    const reader = sql(`read_${registry.writerOf(kind.table).name}`)
    // An actor that is not there is told in the row: without one nobody is refused as missing.
    const answer = onlyRow(
      commands.length + timers.length > 0
        ? await sql<Answer[]>`
            select
              current_era() as era, (select found from ${reader}(${idsLiteral([...ids])}::text::uuid[])),
              (select json_agg(json_build_array(actor, command))
                from find_taken(${idsLiteral(takers)}::text::uuid[], ${idsLiteral(commands)}::text::uuid[], ${every})) as taken,
              (select json_agg(json_build_array(actor, name, generation))
                from find_armed(${idsLiteral(armers)}::text::uuid[], ${timers}::text[])) as armed`
        : await sql<Answer[]>`select current_era() as era, found from ${reader}(${idsLiteral([...ids])}::text::uuid[])`,
    )
    era = Math.min(era ?? answer.era, answer.era)
    const done = new Map<string, Set<string>>()
    for (const [actor, command] of answer.taken ?? []) done.set(actor, (done.get(actor) ?? new Set()).add(command))
    const armed = new Map<string, Map<string, number>>()
    for (const [actor, timer, generation] of answer.armed ?? []) {
      armed.set(actor, (armed.get(actor) ?? new Map()).set(timer, generation))
    }
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

  await Promise.all([...byKind(askings)].map(([name, asked]) => readKind(name, asked)))
  return { reads, era }
}

type Answer = {
  readonly era: number
  readonly found: readonly (readonly (string | null)[])[] | null
  readonly taken?: readonly (readonly [actor: string, command: string])[] | null
  readonly armed?: readonly (readonly [actor: string, timer: string, generation: number])[] | null
}

const idsLiteral = (ids: readonly string[]): string => `{${ids.join(',')}}`

const byKind = (askings: readonly ReadRequest[]) => {
  const kinds = new Map<string, Asked>()
  for (const { commands, seek } of askings) {
    for (const command of commands) {
      // A new actor has no row to read, unless an earlier try may have made it.
      if ('create' in command && seek === 'none') continue
      const asked = kinds.get(command.kind) ?? { ids: new Set(), takers: [], commands: [], armers: [], timers: [] }
      kinds.set(command.kind, asked)
      asked.ids.add(command.actor)
      if (seek !== 'none') {
        asked.takers.push(command.actor)
        asked.commands.push(command.id)
      }
      if ('timer' in command) {
        asked.armers.push(command.actor)
        asked.timers.push(command.timer.name)
      }
    }
  }
  return kinds
}

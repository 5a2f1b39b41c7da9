import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type ExecutableActionObject,
  initialTransition,
  transition,
} from 'xstate'

/** The time of all events in these tables that have no other. */
export const T0 = new Date('2026-11-20T12:00:00.000Z')
export const minutes = (count: number) => new Date(T0.getTime() + count * 60_000)

/**
 * What a table covers: a machine, its events by short names, and its situations by the events that lead to them, so that
 * the machine can reach every situation. `after expiry` is a timer, and so is `after expiry of another day`.
 */
export type Subject = {
  readonly machine: AnyStateMachine
  readonly input: Readonly<Record<string, unknown>>
  readonly events: Readonly<Record<string, AnyEventObject>>
  readonly situations: Readonly<Record<string, string>>
}

/** The same for a machine of the program, with the facts that the tests of all kinds need. */
export type Cases = Subject & {
  /** The table for differences(), if one table covers the machine. */
  readonly table?: string
  /** The minimum number of steps that the situations and events above make, so that the tests compare something. */
  readonly minSteps: number
  /** For random walks: the minimum number of steps, more events to try, and more inputs to begin with. */
  readonly walk: {
    readonly minSteps: number
    readonly events?: readonly AnyEventObject[]
    readonly inputs?: readonly Subject['input'][]
    /** Events after which the walks with these inputs begin. */
    readonly paths?: readonly string[]
  }
  /** Lines of a situation, a change of its row, and the constraint that refuses it. */
  readonly invalidRows: string
  /**
   * Lines of a situation, a change of another such row that a unique index refuses, a change that it accepts, and the
   * index.
   */
  readonly duplicates: string
  /** Values of fields that make an event about it as large as possible. Required for a kind that publishes events. */
  readonly largest?: Readonly<Record<string, unknown>>
}

export type Outcome = { readonly to: string; readonly effects: string; readonly changes: string }

/** The situation after a comma-separated list of events, from creation. */
export const arrive = (subject: Subject, path: string): AnyMachineSnapshot => {
  let [snapshot]: readonly [AnyMachineSnapshot, ...unknown[]] = initialTransition(subject.machine, {
    at: T0,
    ...subject.input,
  })
  for (const name of words(path)) {
    const event = eventNamed(subject, name, snapshot)
    if (!snapshot.can(event)) throw new Error(`${snapshot.value} refuses ${name} on the way to: ${path}`)
    snapshot = transition(subject.machine, snapshot, event)[0]
  }
  return snapshot
}

export const creation = (subject: Subject): Outcome => {
  const [snapshot, actions] = initialTransition(subject.machine, { at: T0, ...subject.input })
  return { to: String(snapshot.value), effects: effectsOf(actions), changes: '' }
}

/** Undefined when the machine refuses the event. */
export const step = (subject: Subject, before: AnyMachineSnapshot, name: string): Outcome | undefined => {
  const event = eventNamed(subject, name, before)
  if (!before.can(event)) return undefined
  const [after, actions] = transition(subject.machine, before, event)
  if (after.status === 'error') throw after.error
  const to = after.value === before.value ? 'stays' : String(after.value)
  return { to, effects: effectsOf(actions), changes: changesOf(before.context, after.context) }
}

/**
 * One line for every pair of situation and event whose outcome differs from the table; pairs that the table does not
 * list must be refused. Columns: situations, events, next state (or `stays`), effects (public events, `!effect`,
 * `+timer`, `-timer`), and all changed fields.
 */
export const differences = (subject: Subject, table: string, covers: Covers = () => true): string[] => {
  const expected = readTable(table)
  const found: string[] = []
  for (const [situation, path] of Object.entries(subject.situations)) {
    const before = arrive(subject, path)
    for (const name of Object.keys(subject.events)) {
      if (!covers(situation, name)) continue
      const key = `${situation} | ${name}`
      const wanted = expected.get(key) ?? 'refused'
      const outcome = step(subject, before, name)
      const actual = outcome ? `${outcome.to} | ${outcome.effects} | ${outcome.changes}` : 'refused'
      if (actual !== wanted) found.push(`${key} | ${actual}      (the table has: ${wanted})`)
      expected.delete(key)
    }
  }
  for (const key of expected.keys()) found.push(`${key} is in the table but does not exist`)
  return found
}

/** Which pairs of situation and event a table is about. */
type Covers = (situation: string, event: string) => boolean

/** Every situation with every event that the machine accepts there. */
export const outcomes = (subject: Subject) =>
  Object.values(subject.situations).flatMap(path => {
    const before = arrive(subject, path)
    const steps = Object.keys(subject.events).flatMap(name => {
      const event = eventNamed(subject, name, before)
      return before.can(event) ? [{ before, event, after: transition(subject.machine, before, event)[0] }] : []
    })
    return [{ before: undefined, event: undefined, after: before }, ...steps]
  })

/** The shortest paths from creation to every state, found by trying every event everywhere. */
export const shortestPaths = (subject: Subject): Record<string, string> => {
  const start = arrive(subject, '')
  const paths: Record<string, string> = { [String(start.value)]: '' }
  const seen = new Set([fingerprint(start)])
  let frontier = [{ snapshot: start, path: [] as string[] }]
  const states = Object.keys(subject.machine.states).length
  // Counters grow without end: a state that is not found among so many situations cannot be reached.
  while (frontier.length > 0 && Object.keys(paths).length < states && seen.size < 10_000) {
    const next: typeof frontier = []
    for (const { snapshot, path } of frontier) {
      for (const name of Object.keys(subject.events)) {
        const event = eventNamed(subject, name, snapshot)
        if (!snapshot.can(event)) continue
        const [after] = transition(subject.machine, snapshot, event)
        const state = String(after.value)
        paths[state] ??= [...path, name].join(', ')
        if (seen.size < seen.add(fingerprint(after)).size) next.push({ snapshot: after, path: [...path, name] })
      }
    }
    frontier = next
  }
  return paths
}

const words = (list: string): string[] =>
  list
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '')

const eventNamed = ({ machine, events }: Subject, name: string, snapshot: AnyMachineSnapshot): AnyEventObject => {
  const event = events[name]
  if (!event) throw new Error(`unknown event ${name}`)
  const timer = /^after (\S+)/.exec(name)?.[1]
  return { at: T0, ...event, ...(timer && { type: `xstate.after.${timer}.${machine.id}.${snapshot.value}` }) }
}

const readTable = (table: string): Map<string, string> => {
  const rows = new Map<string, string>()
  for (const line of table.split('\n').filter(line => line.includes('|'))) {
    const [situations = '', events = '', to, effects, changes = ''] = line
      .split('|')
      .map(cell => cell.trim().replace(/ +/g, ' '))
    for (const situation of words(situations)) {
      for (const event of words(events)) {
        const key = `${situation} | ${event}`
        if (rows.has(key)) throw new Error(`listed twice: ${key}`)
        rows.set(key, `${to} | ${effects} | ${changes}`)
      }
    }
  }
  return rows
}

const effectsOf = (actions: readonly ExecutableActionObject[]): string => actions.map(askOf).join(' ')

const askOf = ({ type, params }: ExecutableActionObject): string => {
  const given = (params ?? {}) as { event?: { type: string }; id?: string; sendId?: string }
  const timer = (id = '') => id.replace(/^xstate\.after\.([^.]*)\..*$/, '$1')
  if (type === 'xstate.emit') return given.event?.type ?? ''
  if (type === 'xstate.raise') return `+${timer(given.id)}`
  if (type === 'xstate.cancel') return `-${timer(given.sendId)}`
  return `!${type}`
}

const changesOf = (before: Record<string, unknown>, after: Record<string, unknown>): string =>
  Object.keys(after)
    .filter(field => show(before[field]) !== show(after[field]))
    .map(field => `${field}=${show(after[field])}`)
    .join(' ')

/** Times relative to T0, as in the tables, and hashes by their first digits. */
const show = (value: unknown): string =>
  value instanceof Date
    ? `+${sinceT0(value)}`
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value).replaceAll(/(0x[0-9a-f]{3})[0-9a-f]{30,}/g, '$1')
      : String(value).replace(/^(0x[0-9a-f]{3})[0-9a-f]{30,}$/, '$1')

const sinceT0 = (time: Date): string => {
  const seconds = (time.getTime() - T0.getTime()) / 1_000
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`
}

const fingerprint = ({ value, context }: AnyMachineSnapshot): string =>
  JSON.stringify([value, Object.values(context).map(show)])

import type { Random } from '../dependencies.ts'
import { uuidv7 } from '../ids.ts'
import type { ActorHead, ActorStep, ReadActor, Unit } from './batch.ts'
import {
  type Command,
  CommandFault,
  commandName,
  type Done,
  type IdentifiedCommand,
  type RefusalCode,
  type Refused,
  type Row,
} from './command.ts'
import type { Actor, Context, Kind, Write } from './kind.ts'
import type { Registry } from './registry.ts'
import type { RequestedEffect, Stepped } from './step.ts'
import { type ClockTimes, testClockOf } from './test-clocks.ts'

const NO_ROWS: readonly Row[] = []

type Change = { readonly before: Actor | null; readonly after: Actor }

const rowsOf = ({ rows = NO_ROWS }: Command, done: readonly Done[], { before, after }: Change): readonly Row[] =>
  typeof rows === 'function' ? rows([...done.map(({ actor }) => actor), after], before ?? undefined) : rows

const duplicateOf = (head: ActorHead, command: string): Done | undefined => {
  let taken = head.taken
  while (taken && taken.command !== command) taken = taken.before
  return taken?.done
}

const UNTOUCHED: ReadonlyMap<string, number | null> = new Map()

const afterSteps = (before: ActorHead['timers'], steps: ActorStep['timers'], rev: number): ActorHead['timers'] => {
  if (steps.length === 0) return before
  const after = new Map(before)
  for (const { name, dueAt } of steps) after.set(name, dueAt === null ? null : rev)
  return after
}

export type UnitVerdict =
  | { readonly verdict: 'decided'; readonly done: readonly Done[]; readonly steps: readonly ActorStep[] }
  | { readonly verdict: 'refused'; readonly refused: Refused }
  | { readonly verdict: 'fault'; readonly error: unknown }

/** `at`: the real time. */
export type Times = { readonly at: Date; readonly clocks: ClockTimes }

/** The time of a command, and the test clock that shows it. */
type Time = { readonly at: Date; readonly clock: ActorStep['clock'] }

export type Decider = ReturnType<typeof decider>

/** Decides the units of one batch in order. Each sees the changes of the units before it. */
export const decider = (
  registry: Pick<Registry, 'get'>,
  reads: ReadonlyMap<string, ReadActor>,
  { at: realTime, clocks }: Times,
  random: Random,
) => {
  const heads = new Map<string, ActorHead>()

  const decide = (unit: Unit): UnitVerdict => {
    const { commands, keyed } = unit
    // A single command changes `heads` itself, as the last thing it does, so nothing has to be undone if it fails.
    const tentative = commands.length > 1 ? new Map<string, ActorHead>() : heads
    const steps: ActorStep[] = []
    const done: Done[] = []
    for (let index = 0; index < commands.length; index++) {
      const command = commands[index] as IdentifiedCommand
      try {
        const answer = decideOne(command, { commands, keyed, tentative, done })
        if ('refusal' in answer) {
          const { head, refusal } = answer
          const possible = head ? registry.get(command.kind).possible(head.actor.state) : []
          return {
            verdict: 'refused',
            refused: { ok: false, refusal, index, possible, ...(head && { actor: head.actor }) },
          }
        }
        done.push(answer.done)
        if (answer.step) steps.push(answer.step)
      } catch (error) {
        return { verdict: 'fault', error: new CommandFault(command, error) }
      }
    }
    if (tentative !== heads) for (const [key, head] of tentative) heads.set(key, head)
    return { verdict: 'decided', done, steps }
  }

  type Answer = { refusal: RefusalCode; head?: ActorHead } | { done: Done; step?: ActorStep }

  /** The unit, and what its commands so far have done. */
  type Before = Unit & { readonly tentative: Map<string, ActorHead>; readonly done: readonly Done[] }

  const decideOne = (command: IdentifiedCommand, unit: Before): Answer => {
    const head = headIn(unit, command)
    if (head) {
      const duplicate = duplicateOf(head, command.id)
      if (duplicate) return { done: { ...duplicate, replayed: true } }
      if (head.read?.done.has(command.id)) return { done: { ok: true, actor: head.actor, replayed: true } }
    }
    const registered = registry.get(command.kind)
    if ('create' in command) {
      if (head) return { refusal: 'exists', head }
      const time = timeOf(registered.kind, command.create)
      const input = withGiven(command.create, command, unit, time)
      return advance(command, unit, { time, before: undefined }, registered.begin({ ...input, at: time.at }))
    }
    if (!head) return { refusal: 'missing' }
    if ('timer' in command) {
      const { name, generation } = command.timer
      const armed = head.timers.has(name) ? head.timers.get(name) : head.read?.timers.get(name)
      if (armed !== generation) return { refusal: 'stale', head }
    } else if (command.event.type.startsWith('xstate.')) {
      // Events of timers may come only from timers.
      return { refusal: 'state', head }
    }
    const time = timeOf(registered.kind, head.actor.context)
    const own = 'timer' in command ? registered.timerEvent(command.timer.name) : command.event
    const event = withGiven(own, command, unit, time)
    const stepped = registered.take(head.actor.state, head.actor.context, { ...event, at: time.at })
    if (!stepped) return { refusal: 'state', head }
    return advance(command, unit, { time, before: head }, stepped)
  }

  const timeOf = (kind: Kind, context: Context): Time => {
    const id = testClockOf(kind, context)
    if (id === null) return { at: realTime, clock: null }
    const now = clocks.get(id)
    if (!now) throw new Error(`there is no test clock ${id}`)
    return { at: now, clock: { id, now } }
  }

  const headIn = ({ tentative }: Before, command: IdentifiedCommand): ActorHead | undefined =>
    tentative.get(command.key) ?? heads.get(command.key) ?? headOf(command)

  const withGiven = <Fields extends object>(
    fields: Fields,
    { given }: IdentifiedCommand,
    unit: Before,
    { at }: Time,
  ): Fields => {
    if (!given) return fields
    const actors = unit.commands.flatMap(other => {
      const head = headIn(unit, other)
      return head ? [[other.actor, head.actor] as const] : []
    })
    return { ...given(new Map(actors), at), ...fields }
  }

  const headOf = ({ kind: name, key }: IdentifiedCommand): ActorHead | undefined => {
    const read = reads.get(key)
    if (!read) return undefined
    const { kind, decode } = registry.get(name)
    const actor = decode(read.row)
    return { kind, actor, stored: actor.rev, seen: read.seen, read, timers: UNTOUCHED, taken: undefined }
  }

  const advance = (
    command: IdentifiedCommand,
    { keyed, tentative, done: doneBefore }: Before,
    { time, before }: { readonly time: Time; readonly before: ActorHead | undefined },
    { state, context, requested }: Stepped,
  ): Answer => {
    const { at, clock } = time
    const { kind, show, ownerOf } = registry.get(command.kind)
    const after: Actor = {
      id: command.actor,
      kind: command.kind,
      state,
      rev: (before?.actor.rev ?? 0) + 1,
      context,
      createdAt: before?.actor.createdAt ?? at,
      updatedAt: at,
    }
    const change = { before: before?.actor ?? null, after }
    const { published, timers, jobs, writes } = interpret(kind, command, { ...change, at }, requested)
    const from = before?.actor.state ?? null
    const done: Done = { ok: true, actor: after, replayed: false }
    const rows = rowsOf(command, doneBefore, change)
    const isRecorded = keyed || !kind.unrecorded?.includes(commandName(command))
    const step = {
      ...{ kind, command, keyed, isRecorded, from, after, owner: ownerOf(after), shown: show(after) },
      ...{ published, timers, jobs, writes, rows, clock },
    }
    // Nothing after this may throw.
    tentative.set(command.key, {
      kind,
      actor: after,
      stored: before?.stored ?? 0,
      seen: before?.seen ?? null,
      read: before?.read,
      timers: afterSteps(before?.timers ?? UNTOUCHED, timers, after.rev),
      taken: { command: command.id, done, before: before?.taken },
    })
    return { done, step }
  }

  const interpret = (
    kind: Kind,
    command: Command,
    { before, after: actor, at }: Change & { readonly at: Date },
    requested: readonly RequestedEffect[],
  ) => {
    const published: ActorStep['published'][number][] = []
    const jobs: ActorStep['jobs'][number][] = []
    const writes: Write[] = []
    // A timer that fired is removed, also if its transition stays in the state, unless it is armed again.
    const timers: ActorStep['timers'][number][] = 'timer' in command ? [{ name: command.timer.name, dueAt: null }] : []
    for (const effectRequest of requested) {
      if (effectRequest.what === 'publish') {
        const event = kind.publish?.(effectRequest.type, actor)
        if (!event) throw new Error(`kind ${kind.name} has no \`publish\``)
        published.push({ eventId: uuidv7(realTime, random), type: effectRequest.type, event })
      } else if (effectRequest.what === 'effect' && kind.writes?.[effectRequest.name]) {
        const write = kind.writes[effectRequest.name]?.(actor, before)
        if (write) writes.push(write)
      } else if (effectRequest.what === 'effect') {
        const effect = `${actor.id}:${actor.rev}:${jobs.length}`
        const job = kind.effects?.[effectRequest.name]?.(actor, effectRequest.params, { id: effect, at: realTime })
        if (job === undefined) throw new Error(`kind ${kind.name} has no effect ${effectRequest.name}`)
        if (job) jobs.push({ effect, job })
      } else {
        timers.push({
          name: effectRequest.timer,
          dueAt: effectRequest.what === 'cancel' ? null : dueAt(kind, effectRequest.delay, actor, at),
        })
      }
    }
    return { published, jobs, writes, timers }
  }

  const dueAt = (kind: Kind, delay: string, actor: Actor, at: Date): Date | null => {
    const due = kind.timers?.[delay]?.(actor.context, at)
    if (due === undefined || Number.isNaN(due?.getTime()))
      throw new Error(`kind ${kind.name} has no valid due time for the delay ${delay}`)
    return due
  }

  return { decide, heads }
}

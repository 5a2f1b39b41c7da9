import type { Actor, Context } from './kind.ts'
import type { Value } from './literals.ts'

/** What an actor is asked to do: to come into being, to take an event, or to take a timer's event. */
export type Command = {
  readonly kind: string
  readonly actor: string
  /**
   * Chosen by a caller who may send the command again, say a task that is run twice: whatever
   * crashes in between, the actor takes it once. Without one, the dispatcher draws an id.
   */
  readonly id?: string
  /** Who or what asks, for the history. */
  readonly cause?: string
  /**
   * Rows that are committed with this command; one that is already there refuses it. As a function, they
   * are made of the actors that the commands up to this one leave, such as an answer to be kept.
   */
  readonly rows?: readonly Row[] | ((actors: readonly Actor[]) => readonly Row[])
} & (
  | { readonly create: Readonly<Context> }
  | { readonly event: { readonly type: string } & Readonly<Record<string, unknown>> }
  | { readonly timer: { readonly name: string; readonly generation: number } }
)

/** A command on its way: with its id, and what its actor is looked up by. */
export type Carried = Command & { readonly id: string; readonly key: string }

/** Two kinds may be asked for one id, by a caller who made it up. */
export const keyOf = (kind: string, actor: string): string => `${kind} ${actor}`

/** A row for a table that `define_commit_rows` was called for, its columns in the table's own spelling. */
export type Row = { readonly table: string; readonly row: Readonly<Record<string, Value>> }

export type Done = {
  readonly ok: true
  /** As it is after the command; after a replay, as it is now. */
  readonly actor: Actor
  /** True when an earlier try with the same command id had already done it. */
  readonly replayed: boolean
}

/** The command changed nothing, and would not until something else changes. */
export type Refused = {
  readonly ok: false
  readonly refusal: RefusalCode
  /** Which command of the bundle was refused. */
  readonly index: number
  /** The constraint that a row of the command would have violated, for `exists` and the kinds' own refusals. */
  readonly constraint?: string
  /** Absent when there is no such actor. */
  readonly actor?: Actor
  /** The events the actor could take now. */
  readonly possible: readonly string[]
}

/**
 * `missing`: no such actor. `state`: its machine does not take the event now. `stale`: the timer has
 * been armed anew or canceled. `exists`: a row with the same key is there. Otherwise the code that
 * the kind's `refusals` names for a constraint.
 */
export type RefusalCode = 'missing' | 'state' | 'stale' | 'exists' | (string & {})

export type Outcome = Done | Refused

/** Either every command of a bundle was carried out, or none. */
export type BundleOutcome = { readonly ok: true; readonly done: readonly Done[] } | Refused

/**
 * The database could not be asked, or did not answer. Whether the command was carried out is
 * unknown when it carries no id of the caller's; with one, sending it again is always safe.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  constructor(cause: unknown) {
    super('cannot commit: the database is not available', { cause })
  }
}

/** A row that the command changes is locked by a transaction of another session. It was not carried out. */
export class LockedOut extends Unavailable {
  constructor() {
    super(new Error('a row is locked by another transaction'))
  }
}

/** Undefined when its row is locked: for a caller that comes again by itself. */
export const unlessLocked = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof LockedOut) return undefined
    throw error
  }
}

/** A command that can never be carried out as it is: a machine that throws, a broken rule. */
export class CommandFault extends Error {
  override readonly name = 'CommandFault'
  constructor(command: Command, cause: unknown) {
    super(`cannot carry out ${commandName(command)} on ${command.kind} ${command.actor}`, { cause })
  }
}

/** How history calls the command. */
export const commandName = (command: Command): string =>
  'create' in command ? CREATE : 'event' in command ? command.event.type : nameOfTimer(command.timer.name)

export const CREATE = 'create'
export const nameOfTimer = (timer: string): string => `after.${timer}`

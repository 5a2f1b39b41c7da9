import type { Actor, Context } from './kind.ts'
import type { Value } from './literals.ts'

/** Creates an actor, or gives an actor an event or a timer's event. */
export type Command = {
  readonly kind: string
  readonly actor: string
  /**
   * Chosen by a caller that may send the command again, such as a task that is run twice: a command with the same id is
   * executed once. Without it the dispatcher generates an id.
   */
  readonly id?: string
  /** Who or what caused the command, for the history. */
  readonly cause?: string
  /**
   * Rows of other tables that are committed with this command. If one already exists, the command is refused. A
   * function makes them from the actors as they are after the commands up to this one, such as a stored answer, and from
   * the actor of this command as it was before it, if it existed.
   */
  readonly rows?: readonly Row[] | ((actors: readonly Actor[], before: Actor | undefined) => readonly Row[])
} & (
  | { readonly create: Readonly<Context>; readonly given?: Given }
  | {
      readonly event: { readonly type: string } & Readonly<Record<string, unknown>>
      readonly given?: Given
    }
  | { readonly timer: { readonly name: string; readonly generation: number }; readonly given?: Given }
)

/**
 * Makes more fields of the new actor, of the event or of the timer's event, such as the next number of a counter. `actors`: those of the bundle as
 * they are before this command, by id; one that does not exist yet is missing. `at`: the time of the command. If a row has
 * changed before the commit, the fields are made again.
 */
type Given = (actors: ReadonlyMap<string, Actor>, at: Date) => Readonly<Record<string, unknown>>

/** A command in the dispatcher: with its id, and the key of its actor. */
export type IdentifiedCommand = Command & { readonly id: string; readonly key: string }

/** Contains the kind, because a caller that makes up ids may use the same one for two kinds. */
export const keyOf = (kind: string, actor: string): string => `${kind} ${actor}`

/** A row for a table that `define_commit_rows` was called for. Columns are named as in the table. */
export type Row = { readonly table: string; readonly row: Readonly<Record<string, Value>> }

export type Done = {
  readonly ok: true
  /** The actor after the command; after a replay, as it is now. */
  readonly actor: Actor
  /** True if the command had already been executed, by an earlier attempt with the same command id. */
  readonly replayed: boolean
}

/** The command changed nothing, and repeating it changes nothing until something else changes. */
export type Refused = {
  readonly ok: false
  readonly refusal: RefusalCode
  /** Which command of the bundle was refused. */
  readonly index: number
  /** The constraint that a row of the command would have violated, for `exists` and for refusals of the kind. */
  readonly constraint?: string
  /** Not set if the actor does not exist. */
  readonly actor?: Actor
  /** The events the actor could take now. */
  readonly possible: readonly string[]
}

/**
 * `missing`: the actor does not exist. `state`: its machine does not accept the event now. `stale`: the timer was armed
 * again or canceled. `exists`: a row with the same key exists. Otherwise the code for a constraint in the kind's
 * `refusals`.
 */
export type RefusalCode = 'missing' | 'state' | 'stale' | 'exists' | (string & {})

export type Outcome = Done | Refused

/** Either all commands of a bundle were executed, or none. */
export type BundleOutcome = { readonly ok: true; readonly done: readonly Done[] } | Refused

/**
 * The database could not be reached or did not answer. It is unknown whether the command was executed. If the caller
 * chose the command's id, it is safe to send it again.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  constructor(cause: unknown) {
    super('cannot commit: the database is not available', { cause })
  }
}

/** A row that the command changes is locked by a transaction of another session. The command was not executed. */
export class LockedOut extends Unavailable {
  constructor() {
    super(new Error('a row is locked by another transaction'))
  }
}

/** Returns undefined if the row is locked: for callers that retry anyway. */
export const unlessLocked = async <T>(outcome: Promise<T>): Promise<T | undefined> => {
  try {
    return await outcome
  } catch (error) {
    if (error instanceof LockedOut) return undefined
    throw error
  }
}

/** A command that can never be executed: its machine throws, or it violates a constraint. */
export class CommandFault extends Error {
  override readonly name = 'CommandFault'
  constructor(command: Command, cause: unknown) {
    super(`cannot execute ${commandName(command)} on ${command.kind} ${command.actor}`, { cause })
  }
}

/** The name of the command in the history. */
export const commandName = (command: Command): string =>
  'create' in command ? CREATE : 'event' in command ? command.event.type : nameOfTimer(command.timer.name)

export const CREATE = 'create'
export const nameOfTimer = (timer: string): string => `after.${timer}`

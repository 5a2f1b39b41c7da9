import type { AnyStateMachine } from 'xstate'

/** How a context field is stored: the column's type, and what it becomes in TypeScript. */
export type Column =
  | 'uuid' //     uuid            string
  | 'text' //     text            string
  | 'integer' //  integer         number
  | 'minor' //    bigint          number, a safe integer: minor units, block numbers
  | 'atomic' //   numeric(78, 0)  bigint, atomic units on a chain
  | 'time' //     timestamptz     Date
  | 'boolean' //  boolean         boolean
  | 'json' //     jsonb           whatever was stored; opaque to SQL

export type Context = Record<string, unknown>

/** An actor as the core knows it: a row, its machine's state and context, and how often it has changed. */
export type Actor<C = Context> = {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly rev: number
  readonly context: C
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What an `emit` becomes: one row of `events`, rendered once, in the commit of the transition. */
export type PublicEvent = {
  readonly merchantId: string
  readonly livemode: boolean
  readonly apiVersion: string
  readonly object: unknown
}

/** A graphile-worker job asked for by a named action. Jobs are wake-ups: the tables are the truth. */
export type Job = {
  readonly task: string
  readonly payload: Readonly<Record<string, unknown>>
} & (
  | {
      /** Jobs with the same key collapse into one, which runs at once: moved to a later time it would be lost. One that waits with the same payload stays as it is. */ readonly key?: string
      readonly runAt?: never
    }
  | { readonly runAt: Date; readonly key?: never }
)

/**
 * A function in SQL that is called in the commit of a transition, with the actor's id and `given`. It finds the rows as
 * the commit leaves them, which later commands of the same batch may have changed again.
 */
export type Write = { readonly function: string; readonly given?: Readonly<Record<string, unknown>> }

/** An effect's identity, `<actor>:<rev>:<n>`: the same for every retry of the command that caused it. */
export type Effect = { readonly id: string; readonly at: Date }

/**
 * A machine put on the core: its table, and what the names it uses mean.
 * The machine itself stays pure; everything it asks for by name is answered here.
 */
export type Kind<C = Context> = {
  readonly name: string
  readonly table: string
  readonly machine: AnyStateMachine
  /** Raised whenever stored rows must be changed before the machine can read them. */
  readonly version: number
  /**
   * `migrations[n]` turns the context of a version n row into that of n + 1. The state stays: its timers are armed, and
   * history has told of it, under its name.
   */
  readonly migrations?: Readonly<Record<number, (context: Context, state: string) => Context>>
  /** Every context field and its column (the column's name is the field's in snake_case). */
  readonly columns: { readonly [F in keyof C]: Column }
  /**
   * Events of which history has no entry, because other tables hold all that it would say. A command with an id is
   * recorded all the same; one without is not recognised when it is sent again after a lost answer.
   */
  readonly unrecorded?: readonly string[]
  /** Fields that history and the inspector may show. Everything else stays in the typed table. */
  readonly history: readonly (keyof C & string)[]
  /** When each named delay of the machine's `after` is due; null when it does not apply, and nothing is armed. */
  readonly timers?: Readonly<Record<string, (context: C, at: Date) => Date | null>>
  /** The job that a named action which is not an assignment asks for. */
  readonly effects?: Readonly<Record<string, (actor: Actor<C>, params: unknown, effect: Effect) => Job>>
  /** Or what it writes in the commit of its transition; `before` is null for a new actor. */
  readonly writes?: Readonly<Record<string, (actor: Actor<C>, before: Actor<C> | null) => Write | null>>
  /** Renders the public event an `emit` asks for. */
  readonly publish?: (type: string, actor: Actor<C>) => PublicEvent
  /** Constraints whose violation is expected: their name, and the refusal it is answered with. */
  readonly refusals?: Readonly<Record<string, string>>
}

export const snakeCase = (field: string) => field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/**
 * A kind as the core takes it. The core looks into no context: it gives each back to the kind that
 * it came from, so the type may be forgotten, and here is the one place where it is.
 */
export const registered = <C>(kind: Kind<C>): Kind => kind as unknown as Kind

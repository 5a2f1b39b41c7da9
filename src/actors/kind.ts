import type { AnyStateMachine } from 'xstate'

/** How a context field is stored: the column's type, and what it becomes in TypeScript. */
export type Column =
  | 'uuid' //     uuid            string
  | 'text' //     text            string
  | 'integer' //  integer         number
  | 'minor' //    bigint          number, a safe integer: minor units, block numbers
  | 'atomic' //   numeric(78, 0)  bigint: atomic units on a chain, sums without a limit
  | 'time' //     timestamptz     Date
  | 'boolean' //  boolean         boolean
  | 'json' //     jsonb           any JSON value; opaque to SQL

export type Context = Record<string, unknown>

/** An actor: its id, its machine's state and context, and `rev`, the number of its changes. */
export type Actor<C = Context> = {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly rev: number
  readonly context: C
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A row of `events`, rendered once for an `emit`, and inserted in the commit of the transition. */
export type PublicEvent = {
  readonly merchantId: string
  readonly livemode: boolean
  readonly apiVersion: string
  readonly object: object
}

/** A graphile-worker job requested by a named action. Jobs are wake-ups only: what is to be done is in the tables. */
export type Job = {
  readonly task: string
  readonly payload: Readonly<Record<string, unknown>>
} & (
  | {
      /**
       * Jobs with the same key become one job, which runs immediately: a job that was moved to a later time would take
       * earlier ones along. A waiting job with the same payload stays as it is.
       */
      readonly key?: string
      readonly runAt?: never
    }
  | { readonly runAt: Date; readonly key?: never }
)

/**
 * A SQL function that is called in the commit of a transition, with the actor's id and `given`. It sees the rows as
 * they are at the end of the commit: later commands of the same batch may have changed them again.
 */
export type Write = { readonly function: string; readonly given?: Readonly<Record<string, unknown>> }

/** `id` is `<actor>:<rev>:<n>`, the same for every retry of the command that caused the effect. */
export type Effect = { readonly id: string; readonly at: Date }

/**
 * Connects a machine to the core: its table, and what its named actions and delays do. The machine itself is a pure
 * function.
 */
export type Kind<C = Context> = {
  readonly name: string
  readonly table: string
  readonly machine: AnyStateMachine
  /** To be raised when stored rows must be migrated before the machine can read them. */
  readonly version: number
  /**
   * `migrations[n]` turns the context of a version n row into that of version n + 1. The state cannot change, because
   * its timers are armed and history shows it under its name.
   */
  readonly migrations?: Readonly<Record<number, (context: Context, state: string) => Context>>
  /** Every context field and its column (the column's name is the field's in snake_case). */
  readonly columns: { readonly [F in keyof C]: Column }
  /**
   * Events without an entry in the history, because other tables contain the same facts. A command with an id is
   * recorded anyway. A command without one is not recognized when it is repeated after a lost answer.
   */
  readonly unrecorded?: readonly string[]
  /** Fields that history and the inspector may show. Everything else stays in the typed table. */
  readonly history: readonly (keyof C & string)[]
  /** When each named delay of the machine's `after` is due. If it is null, no timer is armed. */
  readonly timers?: Readonly<Record<string, (context: C, at: Date) => Date | null>>
  /**
   * The timer loop does not fire its timers. What they cause is more than an event of the actor: a loop of the kind plans a
   * bundle with other actors, which contains the timer's command.
   */
  readonly hasPlannedTimers?: true
  /** The job that a named action requests; null for none. */
  readonly effects?: Readonly<Record<string, (actor: Actor<C>, params: unknown, effect: Effect) => Job | null>>
  /** What a named action writes in the commit of its transition. `before` is null for a new actor. */
  readonly writes?: Readonly<Record<string, (actor: Actor<C>, before: Actor<C> | null) => Write | null>>
  /** Renders the public event for an `emit`. */
  readonly publish?: (type: string, actor: Actor<C>) => PublicEvent
  /** Constraints whose violation is expected, and the refusal that each becomes. */
  readonly refusals?: Readonly<Record<string, string>>
  /**
   * The field with the ID of the test clock whose time an actor has; null for real time. It never changes. All times that the
   * machine gets are those of the clock, and so is `createdAt`. A timer is due by the clock: see test-clocks.ts.
   */
  readonly testClock?: keyof C & string
}

export const snakeCase = (field: string) => field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/**
 * A kind without its context type, as the core takes it. The core never reads a context and passes it only to its own
 * kind, so dropping the type is safe. This is the only place that does.
 */
export const registered = <C>(kind: Kind<C>): Kind => kind as unknown as Kind

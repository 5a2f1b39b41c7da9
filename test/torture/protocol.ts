/** Requests to the program under test and its responses: one line of JSON each. */

export type Wire = {
  readonly actor: string
  readonly cause: string
  readonly id?: string
  readonly create?: { readonly burnMs: number; readonly room: string | null }
  readonly event?: string
  readonly by?: number
  /** The event is refused after this time, in milliseconds since 1970. */
  readonly before?: number
  /** A row with this key is committed with the command. */
  readonly tx?: string
}

export type Request = { readonly n: number } & ({ readonly commands: readonly Wire[] } | { readonly read: string })

/** An actor at one of its revisions. */
export type Snapshot = { readonly id: string; readonly state: string; readonly rev: number; readonly switched: number }

export type Outcome =
  | { readonly kind: 'done'; readonly done: readonly { readonly actor: Snapshot; readonly replayed: boolean }[] }
  | {
      readonly kind: 'refused'
      readonly refusal: string
      readonly index: number
      readonly constraint: string | null
      readonly actor: Snapshot | null
    }
  | { readonly kind: 'read'; readonly actor: Snapshot | null }
  /** Whether it was done is unknown. */
  | { readonly kind: 'unavailable'; readonly error: string }
  | { readonly kind: 'fault'; readonly error: string }
  /** Any other rejection; none is allowed. */
  | { readonly kind: 'unexpected'; readonly error: string }

export type Answer = { readonly n: number; readonly outcome: Outcome }

/** How a program is started. */
export type WorkerOptions = {
  readonly url: string
  readonly connections: number
  readonly retryForMs: number
  readonly answerS: number
  /** The share of timers that it fires. */
  readonly index: number
  readonly of: number
}

/** The exit code of a program that could not start because the database was unreachable. It is started again. */
export const NO_DATABASE = 75

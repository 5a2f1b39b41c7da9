import type { BundleOutcome, Carried, Done, Row } from './command.ts'
import type { Actor, Job, Kind, PublicEvent, Write } from './kind.ts'
import type { ActorRow, Owner } from './rows.ts'

/**
 * How much is known of a unit. It only moves down this table.
 *
 * | phase  | it is here because                              | it is read with         | refused or failed        |
 * |--------|-------------------------------------------------|-------------------------|--------------------------|
 * | fresh  | it was never sent to the database               | ids that callers chose  | for good, but see below  |
 * | unsure | a statement with it failed: it may be committed | the ids of all commands | not yet: moves to leased |
 * | leased | it was to be refused, or lost three times       | the same, under a lease | for good                 |
 *
 * A fresh unit whose caller chose its ids is not refused for a row that is there already, which may be its own: it
 * moves to leased. So does one that fails alone, since a driver may report the error of an earlier statement.
 */
export type Phase = 'fresh' | 'unsure' | 'leased'

/** Commands that stand or fall together, on their way through the dispatcher. */
export type Pending = {
  readonly commands: readonly Carried[]
  /** The caller chose the commands' ids. */
  readonly keyed: boolean
  readonly settle: (outcome: BundleOutcome) => void
  readonly fail: (error: unknown) => void
  /** Whether it waits for a row that is locked, or fails as LockedOut instead. */
  readonly waitsForLocks: boolean
  /** Until when a database in trouble is asked again. */
  readonly deadline: number
  /** How often its rows had moved on when it came to the commit. */
  conflicts: number
  phase: Phase
}

export type Unit = {
  readonly commands: readonly Carried[]
  readonly keyed: boolean
}

/** What a step leaves behind besides the actor's new row. */
export type ActorStep = {
  readonly kind: Kind
  readonly command: Carried
  readonly keyed: boolean
  readonly isRecorded: boolean
  readonly from: string | null
  readonly after: Actor
  readonly owner: Owner
  readonly shown: Record<string, unknown>
  readonly published: readonly { readonly eventId: string; readonly type: string; readonly event: PublicEvent }[]
  /** Due at null: canceled. */
  readonly timers: readonly { readonly name: string; readonly dueAt: Date | null }[]
  readonly jobs: readonly { readonly effect: string; readonly job: Job }[]
  readonly writes: readonly Write[]
  readonly rows: readonly Row[]
}

export type TakenCommand = { readonly command: string; readonly done: Done; readonly before: TakenCommand | undefined }

/** An actor's row and what else its commands must know, seen in one snapshot. */
export type Read = {
  readonly row: ActorRow
  /** The transaction that wrote the row. */
  readonly seen: string
  /** Which of the asked command ids it has already taken. */
  readonly done: ReadonlySet<string>
  /** The generations of the asked timers. */
  readonly timers: ReadonlyMap<string, number>
}

/** An actor on its way through a batch. Never changed: a bundle that fails half-way drops its heads. */
export type ActorHead = {
  readonly kind: Kind
  readonly actor: Actor
  /** The rev in the database, 0 for an actor this batch brings into being. */
  readonly stored: number
  /** The transaction that wrote the row; null for an actor this batch brings into being. */
  readonly seen: string | null
  readonly read: Read | undefined
  /** Timers armed (by which rev) and canceled in this batch, over those that were read. */
  readonly timers: ReadonlyMap<string, number | null>
  /** Commands taken in this batch, latest first, for twins within it. */
  readonly taken: TakenCommand | undefined
}

/** A unit whose commands were all decided, with what they leave behind. */
export type Decided<U extends Unit> = { readonly unit: U; readonly steps: readonly ActorStep[] }

export type Batch<U extends Unit> = {
  readonly decided: readonly Decided<U>[]
  readonly heads: ReadonlyMap<string, ActorHead>
  readonly at: Date
  /** Held on the actors of the batch, or null. */
  readonly lease: string | null
  /** The era of the rows that were decided on; null where all are new. */
  readonly era: number | null
}

/** `certain`: the row in the way is committed, and what would meet it is this unit's own. */
export type Duplicate = { readonly constraint: string; readonly certain: boolean }

export type CommitAnswer<U extends Unit> = {
  /** Their rows had moved on: they must be decided again. The others are committed. */
  readonly conflicted: ReadonlySet<U>
  /** Rows they would insert are already there. When there are any, nothing is committed at all. */
  readonly duplicated: ReadonlyMap<U, Duplicate>
}

import type { BundleOutcome, Done, IdentifiedCommand, Row } from './command.ts'
import type { Actor, Job, Kind, PublicEvent, Write } from './kind.ts'
import type { ActorRow, Owner } from './rows.ts'

/**
 * What is known about whether a unit was committed. A unit only moves down this table.
 *
 * | phase  | when                                              | command ids looked up     | refusal or failure         |
 * |--------|---------------------------------------------------|---------------------------|----------------------------|
 * | fresh  | no statement with it has failed                   | those that callers chose  | final, but see below       |
 * | unsure | a statement with it failed: it may be committed   | all                       | not final: moves to leased |
 * | leased | would be refused, or conflicted three times       | all, while holding leases | final                      |
 *
 * A fresh unit whose caller chose its ids is not refused because a row already exists, since the row may be its own: it
 * moves to leased. So does a unit that fails in a batch of its own, since the driver may report the error of an earlier statement.
 */
export type Phase = 'fresh' | 'unsure' | 'leased'

/** Commands that are committed together or not at all, while they are in the dispatcher. */
export type PendingUnit = {
  readonly commands: readonly IdentifiedCommand[]
  /** The caller chose the commands' ids. */
  readonly keyed: boolean
  readonly settle: (outcome: BundleOutcome) => void
  readonly fail: (error: unknown) => void
  /** Whether it waits for a locked row, or fails with LockedOut instead. */
  readonly waitsForLocks: boolean
  /** Until when it is retried after database errors. */
  readonly deadline: number
  /** How many commits were refused because the rows had changed since they were read. */
  conflicts: number
  phase: Phase
}

export type Unit = {
  readonly commands: readonly IdentifiedCommand[]
  readonly keyed: boolean
}

/** What a transition writes besides the actor's new row. */
export type ActorStep = {
  readonly kind: Kind
  readonly command: IdentifiedCommand
  readonly keyed: boolean
  readonly isRecorded: boolean
  readonly from: string | null
  readonly after: Actor
  readonly owner: Owner
  readonly shown: Record<string, unknown>
  readonly published: readonly { readonly eventId: string; readonly type: string; readonly event: PublicEvent }[]
  /** The test clock whose time the step took; null for real time. */
  readonly clock: { readonly id: string; readonly now: Date } | null
  /** Canceled if `dueAt` is null. */
  readonly timers: readonly { readonly name: string; readonly dueAt: Date | null }[]
  readonly jobs: readonly { readonly effect: string; readonly job: Job }[]
  readonly writes: readonly Write[]
  readonly rows: readonly Row[]
}

export type AcceptedCommand = {
  readonly command: string
  readonly done: Done
  readonly before: AcceptedCommand | undefined
}

/** An actor's row and what else is needed to decide its commands, read in one snapshot. */
export type ReadActor = {
  readonly row: ActorRow
  /** The transaction that wrote the row. */
  readonly seen: string
  /** Which of the requested command ids the actor has already executed. */
  readonly done: ReadonlySet<string>
  /** The generations of the requested timers. */
  readonly timers: ReadonlyMap<string, number>
}

/**
 * The latest version of an actor within a batch. Immutable, so that a bundle that fails half-way can drop what it has changed.
 */
export type ActorHead = {
  readonly kind: Kind
  readonly actor: Actor
  /** The rev in the database; 0 if this batch creates the actor. */
  readonly stored: number
  /** The transaction that wrote the row; null if this batch creates the actor. */
  readonly seen: string | null
  readonly read: ReadActor | undefined
  /** Timers armed (value: the rev) or canceled (null) in this batch. They override those that were read. */
  readonly timers: ReadonlyMap<string, number | null>
  /** Commands executed in this batch, latest first, to recognize duplicates within it. */
  readonly taken: AcceptedCommand | undefined
}

/** A unit whose commands were all decided, with what they write. */
export type Decided<U extends Unit> = { readonly unit: U; readonly steps: readonly ActorStep[] }

export type Batch<U extends Unit> = {
  readonly decided: readonly Decided<U>[]
  readonly heads: ReadonlyMap<string, ActorHead>
  readonly at: Date
  /** The lease held on the actors of the batch, or null. */
  readonly lease: string | null
  /** The era of the rows that were read; null if all actors are new. */
  readonly era: number | null
}

/** `certain`: the existing row is committed, and the conflicting row belongs to this unit. */
export type Duplicate = { readonly constraint: string; readonly certain: boolean }

export type CommitResult<U extends Unit> = {
  /** Units whose rows had changed since they were read. They must be decided again; the others are committed. */
  readonly conflicted: ReadonlySet<U>
  /** Units that would insert rows that already exist. If there are any, nothing was committed. */
  readonly duplicated: ReadonlyMap<U, Duplicate>
}

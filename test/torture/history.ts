import type { Outcome, Wire } from './protocol.ts'
import type { Died } from './worker-process.ts'

/** One try of an operation: sent to one life of one process. Times are numbers of this run's events, which rise. */
export type Attempt = {
  readonly process: string
  readonly life: number
  readonly sentAt: number
  readonly answeredAt: number
  readonly outcome: Outcome | Died
}

/** Commands that were dispatched together; what is `expected` of it decides what may be answered. */
export type Operation = {
  /** The cause of each of its commands in the history of the actors. */
  readonly name: string
  readonly commands: readonly Wire[]
  /** Its commands have ids of the caller's, and it was sent again until its outcome was known. */
  readonly keyed: boolean
  /** `fails`: its machine throws or a rule of its table is broken. `missing`: there is no such actor. */
  readonly expected: 'any' | 'fails' | 'missing' | 'exists'
  readonly attempts: Attempt[]
}

export type Read = {
  readonly actor: string
  readonly sentAt: number
  readonly answeredAt: number
  readonly outcome: Outcome | Died
}

/** All that happened in a run, in the order in which it became known here. */
export const openHistory = () => {
  let events = 0
  return {
    operations: [] as Operation[],
    reads: [] as Read[],
    /** The number of the next event. */
    next: (): number => ++events,
  }
}

export type History = ReturnType<typeof openHistory>

/** The first of its attempts that says that it was carried out. */
export const doneBy = ({ attempts }: Operation): Attempt | undefined =>
  attempts
    .filter(({ outcome }) => outcome.kind === 'done')
    .toSorted((a, b) => a.answeredAt - b.answeredAt)
    .at(0)

export const isUnknown = ({ outcome }: Attempt): boolean => outcome.kind === 'died' || outcome.kind === 'unavailable'

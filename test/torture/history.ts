import type { Outcome, Wire } from './protocol.ts'
import type { Died } from './worker-process.ts'

/** One attempt of an operation, sent to one run of one process. Times are event numbers of this run, which rise. */
export type Attempt = {
  readonly process: string
  readonly life: number
  readonly sentAt: number
  readonly answeredAt: number
  readonly outcome: Outcome | Died
}

/** Commands that were dispatched together. `expected` decides which responses are right. */
export type Operation = {
  /** The cause of each of its commands in the history of the actors. */
  readonly name: string
  readonly commands: readonly Wire[]
  /** Its commands have ids set by the caller, and it is repeated until its outcome is known. */
  readonly keyed: boolean
  /** `fails`: its machine throws or a table rule is violated. `missing`: the actor does not exist. */
  readonly expected: 'any' | 'fails' | 'missing' | 'exists'
  readonly attempts: Attempt[]
}

export type Read = {
  readonly actor: string
  readonly sentAt: number
  readonly answeredAt: number
  readonly outcome: Outcome | Died
}

/** All events of a run, in the order in which they became known here. */
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

/** The first attempt that reports that it was done. */
export const doneBy = ({ attempts }: Operation): Attempt | undefined =>
  attempts
    .filter(({ outcome }) => outcome.kind === 'done')
    .toSorted((a, b) => a.answeredAt - b.answeredAt)
    .at(0)

export const isUnknown = ({ outcome }: Attempt): boolean => outcome.kind === 'died' || outcome.kind === 'unavailable'

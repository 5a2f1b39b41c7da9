import { setTimeout as sleep } from 'node:timers/promises'

export type Repeated = {
  /** Returns true if there is more to do immediately. */
  readonly run: () => Promise<boolean>
  readonly everyMs: number
  readonly isNeeded: () => boolean
  readonly stopping: AbortSignal
  /** Called once for failures in a row. */
  readonly failed: (err: unknown) => void
}

/** Runs something again and again while it is needed, one run at a time. `start` does nothing while it is running. */
export const openRepeat = ({ run, everyMs, isNeeded, stopping, failed }: Repeated) => {
  let running = false

  const goOn = async (): Promise<void> => {
    let failing = false
    let more = false
    while (isNeeded() && !stopping.aborted) {
      if (!more) await sleep(everyMs, undefined, { signal: stopping }).catch(() => {})
      try {
        more = isNeeded() && !stopping.aborted && (await run())
        failing = false
      } catch (err) {
        if (!failing) failed(err)
        failing = true
        more = false
      }
    }
    running = false
  }
  return {
    start: (): void => {
      if (running) return
      running = true
      void goOn()
    },
  }
}

/** What arrives together is handled together. */
const GATHER_MS = 20

/**
 * Work that may be asked for very often. It begins soon after it was asked for, and runs once at a time. After each run it
 * rests for `restMs`, or twice as long as the run took if that is longer. `work` returns whether there is more to do, and
 * does not reject.
 */
export const paced = (restMs: number, work: () => Promise<boolean>) => {
  /** busy: it runs or rests; asked: it will run after that. */
  let phase: 'idle' | 'busy' | 'asked' | 'stopped' = 'idle'
  let timer: ReturnType<typeof setTimeout> | undefined
  const enter = (next: typeof phase) => {
    if (phase !== 'stopped') phase = next
  }

  const run = async (): Promise<void> => {
    enter('busy')
    const began = performance.now()
    if (await work()) enter('asked')
    wait(Math.max(restMs, 2 * (performance.now() - began)))
  }
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      if (phase === 'asked') void run()
      else enter('idle')
    }, ms)
  }
  return {
    ask: () => {
      if (phase === 'idle') wait(GATHER_MS)
      enter('asked')
    },
    stop: () => {
      phase = 'stopped'
      clearTimeout(timer)
    },
  }
}

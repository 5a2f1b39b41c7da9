import { useRef, useState } from 'preact/hooks'

export type Action = {
  readonly isRunning: boolean
  /** Why the last attempt has failed. */
  readonly error: unknown
  /** True if it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>
  reset(): void
}

/** Something that a person starts and that takes a moment. It runs once at a time, however often the button is pressed. */
export const useAction = (): Action => {
  const running = useRef(false)
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  return {
    isRunning,
    error,
    reset: () => setError(undefined),
    run: async work => {
      if (running.current) return false
      running.current = true
      setRunning(true)
      setError(undefined)
      try {
        await work()
        return true
      } catch (fault) {
        setError(fault)
        return false
      } finally {
        running.current = false
        setRunning(false)
      }
    },
  }
}

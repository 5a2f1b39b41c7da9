export type WatchdogOptions = {
  readonly limitMs: number
  /** Called once when nothing has been answered for so long. */
  readonly end: (silentMs: number) => void
}

const TICKS = 15

/**
 * Watches questions to the database for answers. A path that swallows packets without a reset stalls
 * everything that waits on it, silently and for as long as the kernel retransmits: a quarter of an hour.
 * An error is an answer: whoever is refused knows it, and tries again by itself.
 */
export const openWatchdog = ({ limitMs, end }: WatchdogOptions) => {
  let waiting = 0
  let silentMs = 0

  // Ticks are counted, not time taken: while this process is stopped or its event loop blocked, the
  // answer may be waiting for us.
  const timer = setInterval(() => {
    if (waiting === 0) return
    silentMs += limitMs / TICKS
    if (silentMs < limitMs) return
    clearInterval(timer)
    end(silentMs)
  }, limitMs / TICKS)

  const watch = async <T>(question: PromiseLike<T>): Promise<T> => {
    waiting++
    try {
      const answer = await question
      silentMs = 0
      return answer
    } catch (error) {
      if (!isSilence(error)) silentMs = 0
      throw error
    } finally {
      waiting--
    }
  }

  return { watch, stop: () => clearInterval(timer) }
}

export type Watchdog = ReturnType<typeof openWatchdog>

/** Errors that say that nobody answered. */
const isSilence = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'CONNECT_TIMEOUT' || error.code === 'ETIMEDOUT')

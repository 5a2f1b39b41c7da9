export type WatchdogOptions = {
  readonly limitMs: number
  /** Called once when no request has been answered for `limitMs`. */
  readonly end: (silentMs: number) => void
}

const TICKS = 15

/**
 * Detects that the database no longer answers. On a network path that drops packets, queries hang for as long as the
 * kernel retransmits: a quarter of an hour. An error counts as an answer, because its caller retries.
 */
export const openWatchdog = ({ limitMs, end }: WatchdogOptions) => {
  let waiting = 0
  let silentMs = 0

  // Counts ticks instead of measuring time: while this process is suspended or its event loop is blocked, an answer may
  // have arrived already.
  const timer = setInterval(() => {
    if (waiting === 0) return
    silentMs += limitMs / TICKS
    if (silentMs < limitMs) return
    clearInterval(timer)
    end(silentMs)
  }, limitMs / TICKS)

  const watch = async <T>(query: PromiseLike<T>): Promise<T> => {
    waiting++
    try {
      const answer = await query
      silentMs = 0
      return answer
    } catch (error) {
      if (!isTimeout(error)) silentMs = 0
      throw error
    } finally {
      waiting--
    }
  }

  return { watch, stop: () => clearInterval(timer) }
}

export type Watchdog = ReturnType<typeof openWatchdog>

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'CONNECT_TIMEOUT' || error.code === 'ETIMEDOUT')

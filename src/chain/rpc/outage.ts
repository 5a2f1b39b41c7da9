/** Measures how long no node has answered. Nodes that limit their callers or are slow for a moment are waited for. */
export type Outage = {
  /** Records that no node answered. Returns whether that has lasted for long. */
  isLong(): boolean
  /** Records that a node answered. */
  end(): void
}

export const openOutage = (longAfterMs: number, now: () => number = () => performance.now()): Outage => {
  let since: number | undefined
  return {
    isLong: () => {
      since ??= now()
      return now() - since >= longAfterMs
    },
    end: () => {
      since = undefined
    },
  }
}

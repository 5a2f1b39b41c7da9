/** Whether somebody is away, or only cannot answer for a moment: who limits its callers, or is slow, is worth a wait. */
export type Outage = {
  /** Nobody answered. Says whether that has been so for long. */
  isLong(): boolean
  /** Somebody did. */
  end(): void
}

export const openOutage = (longMs: number, now: () => number = () => performance.now()): Outage => {
  let since: number | undefined
  return {
    isLong: () => {
      since ??= now()
      return now() - since >= longMs
    },
    end: () => {
      since = undefined
    },
  }
}

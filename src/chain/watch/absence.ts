/** Whether somebody is away, or only cannot answer for a moment: who limits its callers, or is slow, is worth a wait. */
export type Absence = {
  /** Nobody answered. Says whether that has been so for long. */
  isLong(): boolean
  /** Somebody did. */
  end(): void
}

export const openAbsence = (longMs: number, now: () => number = () => performance.now()): Absence => {
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

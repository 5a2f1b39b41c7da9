/** So many a second, and no more at once than have gathered. */
export const openPace = ({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }) => {
  let gathered = burst
  let at = Number.NEGATIVE_INFINITY
  return {
    /** How many may be taken by now, in milliseconds that only go forward. */
    room: (now: number): number => {
      gathered = Math.min(burst, gathered + ((now - at) * perSecond) / 1_000)
      at = now
      return Math.floor(gathered)
    },
    take: (count: number): void => {
      gathered -= count
    },
  }
}

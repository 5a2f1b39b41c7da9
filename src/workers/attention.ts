/** How often it is looked at, and at how many looks in a row nobody may have asked. */
const LOOK_MS = 1_000
const LOOKS = 5

/**
 * Notices workers that stand idle and ask for no jobs. Connections cut at an unlucky moment leave
 * graphile-worker like that: its promise is pending, no error is told, and jobs lie there for ever.
 * Looks are counted, not time, so that a process that was stopped for a while is not taken for one.
 */
export const openAttention = (hasFreeHands: () => boolean, lost: () => void) => {
  let quietLooks = 0
  const looking = setInterval(() => {
    quietLooks = hasFreeHands() ? quietLooks + 1 : 0
    if (quietLooks >= LOOKS) lost()
  }, LOOK_MS)
  return {
    /** A job was asked for, whether there was one or not. */
    asked: () => {
      quietLooks = 0
    },
    stop: () => clearInterval(looking),
  }
}

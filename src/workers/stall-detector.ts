/** The runner is stalled after this many checks in a row without a request for jobs. */
const CHECK_MS = 1_000
const MAX_IDLE_CHECKS = 5

/**
 * Detects that graphile-worker has free slots but no longer requests jobs. It can stall like this when its connections
 * are cut at the wrong moment: its promise stays pending, no error is reported, and jobs wait forever. Counts checks
 * instead of time, so that a process that was suspended for a while is not taken for stalled.
 */
export const openStallDetector = (hasFreeSlots: () => boolean, onStall: () => void) => {
  let idleChecks = 0
  const timer = setInterval(() => {
    idleChecks = hasFreeSlots() ? idleChecks + 1 : 0
    if (idleChecks >= MAX_IDLE_CHECKS) onStall()
  }, CHECK_MS)
  return {
    /** To be called when jobs are requested, whether there are any or not. */
    jobsRequested: () => {
      idleChecks = 0
    },
    stop: () => clearInterval(timer),
  }
}

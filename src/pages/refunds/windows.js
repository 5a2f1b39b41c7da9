/** Web Locks need https or localhost. Without them, windows of a browser do not wait for each other. */
const locked = (name, options, work) =>
  navigator.locks ? navigator.locks.request(`paymachine.${name}`, options, work) : work({})

/** Runs `work` when no other window holds the lock. */
export const inTurn = (name, work) => locked(name, {}, work)

/** Runs `otherwise` instead if another window holds the lock. */
export const unlessElsewhere = (name, work, otherwise) =>
  locked(name, { ifAvailable: true }, lock => (lock ? work() : otherwise()))

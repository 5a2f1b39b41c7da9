/** Where there are no locks, over plain HTTP, the windows of a browser do not wait for each other. */
const locked = (name, options, work) =>
  navigator.locks ? navigator.locks.request(`paymachine.${name}`, options, work) : work({})

/** Waits until no other window is at it. */
export const inTurn = (name, work) => locked(name, {}, work)

/** Where another window is at it, does `otherwise` instead. */
export const unlessElsewhere = (name, work, otherwise) =>
  locked(name, { ifAvailable: true }, lock => (lock ? work() : otherwise()))

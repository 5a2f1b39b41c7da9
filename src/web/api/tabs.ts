/** What the tabs of a browser share. Web Locks exist on https and localhost only: elsewhere each tab acts alone. */

/** Runs `work` when no other tab holds the lock. */
export const inOneTab = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> =>
  locks ? await locks.request(`paymachine ${name}`, work) : await work()

/** Runs `work` unless another tab holds the lock: then `otherwise`. */
export const unlessInOtherTab = async <Result>(
  name: string,
  work: () => Promise<Result>,
  otherwise: () => Result | Promise<Result>,
): Promise<Result> =>
  locks
    ? await locks.request(`paymachine ${name}`, { ifAvailable: true }, lock => (lock ? work() : otherwise()))
    : await work()

/** Runs `work` as long as `signal` is not aborted, in one tab at a time. Another tab takes over when this one is closed. */
export const asLeader = async (name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> => {
  if (!locks) return await work()
  try {
    await locks.request(`paymachine ${name}`, { signal }, work)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Undefined on http, whatever the types say. */
const locks: LockManager | undefined = globalThis.navigator?.locks

/** Announces this tab to the others until it is closed. */
export const announceTab = (): void => {
  void locks?.request('paymachine tab', { mode: 'shared' }, () => new Promise<never>(() => {}))
}

export const hasOtherTabs = async (): Promise<boolean> => {
  const { held = [] } = (await locks?.query()) ?? {}
  return held.filter(({ name }) => name === 'paymachine tab').length > 1
}

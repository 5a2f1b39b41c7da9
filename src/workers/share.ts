/** Which of the live workers this is, from 0; -1 while it is none. */
export type WorkerShare = () => { readonly position: number; readonly count: number }

/**
 * Whether this worker is the one that looks after a chain. By the chain's id and not by its place in a list: where
 * one process has been given a chain more than another, both would take a third one for the other's.
 */
export const isInShare = (chainId: number, share: WorkerShare): boolean => {
  const { position, count } = share()
  return position >= 0 && spread(chainId) % Math.max(1, count) === position
}

/** Most ids are odd, which would leave one of two workers with nearly all of the chains. */
const spread = (chainId: number): number => Math.imul(chainId, 0x9e3779b1) >>> 16

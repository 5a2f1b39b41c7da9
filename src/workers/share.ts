/** The position of this worker among the live workers, from 0; -1 while it is not registered. */
export type WorkerShare = () => { readonly position: number; readonly count: number }

/**
 * Whether this worker is responsible for a chain. Depends on the chain's id and not on its position in the list of
 * chains: if processes have different lists, each could take a chain for the other's.
 */
export const isInShare = (chainId: number, share: WorkerShare): boolean => {
  const { position, count } = share()
  return position >= 0 && spread(chainId) % Math.max(1, count) === position
}

/** Hashes the id: most ids are odd, so with two workers one would get nearly all chains. */
const spread = (chainId: number): number => Math.imul(chainId, 0x9e3779b1) >>> 16

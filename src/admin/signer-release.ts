import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Sql } from '../postgres/connect.ts'
import { findPresentSigner, type PresentSigner, releaseSigner } from '../queries/signer-setup.ts'
import { findFinal } from '../queries/submissions.ts'
import { highestOf, readCounts } from '../signer/counts.ts'
import { findUsedTo } from '../signer/settle.ts'
import { StartError } from '../start-error.ts'
import { command } from './command.ts'
import { chain, merchant, onChain, readPlace } from './signer-place.ts'

/** For after a restored backup: sql/107-refund-signers-functions.sql says why a signer is on hold then. */
export const signerRelease = command({
  name: 'signer release',
  does: 'has a signer sign again that is on hold since the database was restored; see what its address has sent first',
  options: { merchant, chain },
  run: async (desk, given) => {
    const place = await readPlace(desk, given)
    const signer = await findPresentSigner(desk.sql, place)
    if (!signer) throw new StartError('The merchant has no signer on this chain: see `bun run admin signer list`')
    if (!signer.isOnHold) throw new StartError(`${signer.address} is not on hold`)
    const { chainId } = place
    const firstNonce = await onChain(desk, chainId, rpc => readFirstNonce(desk.sql, rpc, { chainId, signer }))
    // Read anew: what is final by now was recorded with its block.
    const undecided = (await findPresentSigner(desk.sql, place))?.undecided ?? 0
    if (undecided > 0)
      throw new StartError(
        `Transfers on the chain may have paid ${undecided} of the refunds that wait: try again in a minute`,
      )
    const left = await releaseSigner(desk.sql, { id: signer.id, firstNonce })
    if (left === undefined) throw new StartError(`${signer.address} has been released by another command`)
    desk.say(`${signer.address} signs refunds again, from nonce ${Math.max(firstNonce, signer.nextNonce)} on`)
    if (left > 0)
      desk.say(
        `Refunds in native currency that waited are left to be signed by hand: ${left}. See which are paid already`,
      )
  },
})

/**
 * Where its nonces go on. All nodes must answer, and a transaction that is not in the database must be final and read:
 * what it has paid is known by then.
 */
const readFirstNonce = async (
  sql: Sql,
  rpc: Rpc,
  { chainId, signer: { address, nextNonce } }: { readonly chainId: number; readonly signer: PresentSigner },
): Promise<number> => {
  const counts = await readCounts(rpc, address)
  const silent = rpc.nodes.length - counts.length
  if (silent > 0)
    throw new StartError(
      `Chain ${chainId}: ${silent} of ${rpc.nodes.length} nodes did not answer, and each may know of a transaction. Try again, or take those that are gone out of RPC_URLS_${chainId}`,
    )
  const highest = highestOf(counts)
  if (highest <= nextNonce) return nextNonce
  const final = await findFinal(sql, chainId)
  const usedTo = final && (await findUsedTo(rpc, address, final))
  if (usedTo === undefined || usedTo < highest)
    throw new StartError(
      `Chain ${chainId} has ${highest - nextNonce} transactions of ${address} that the database does not know and that are not all final and read yet: try again later`,
    )
  return highest
}

import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Sql } from '../postgres/connect.ts'
import { StartError } from '../process/start-error.ts'
import { findPresentSigner, type PresentSigner, releaseSigner } from '../queries/signer-setup.ts'
import { findFinal } from '../queries/submissions.ts'
import { findUsedTo } from '../signer/close-nonces.ts'
import { highestNonceOf, readNonceCounts } from '../signer/nonce-counts.ts'
import { command } from './command.ts'
import { chain, merchant, onChain, readSignerOptions } from './signer-options.ts'

/** Needed after a backup was restored: sql/107-refund-signers-functions.sql explains why a signer is on hold then. */
export const signerRelease = command({
  name: 'signer release',
  does: 'releases a signer that is on hold after the database was restored; first check what its address has sent',
  options: { merchant, chain },
  run: async (services, given) => {
    const options = await readSignerOptions(services, given)
    const signer = await findPresentSigner(services.sql, options)
    if (!signer) throw new StartError('The merchant has no signer on this chain: see `bun run admin signer list`')
    if (!signer.isOnHold) throw new StartError(`${signer.address} is not on hold`)
    const { chainId } = options
    const firstNonce = await onChain(services, chainId, rpc => readFirstNonce(services.sql, rpc, { chainId, signer }))
    // Read again: transfers that are final by now were recorded with their block.
    const undecided = (await findPresentSigner(services.sql, options))?.undecided ?? 0
    if (undecided > 0)
      throw new StartError(
        `Transfers on the chain may have paid ${undecided} of the waiting refunds: try again in a minute`,
      )
    const left = await releaseSigner(services.sql, { id: signer.id, firstNonce })
    if (left === undefined) throw new StartError(`${signer.address} was released by another command`)
    services.print(
      `${signer.address} signs refunds again, starting with nonce ${Math.max(firstNonce, signer.nextNonce)}`,
    )
    if (left > 0)
      services.print(
        `${left} waiting refunds in native currency must be signed manually. First check which of them are already paid`,
      )
  },
})

/**
 * The next nonce of the signer. All nodes must answer. A transaction that is not in the database must be final and
 * read, so that it is known which refund it has paid.
 */
const readFirstNonce = async (
  sql: Sql,
  rpc: Rpc,
  { chainId, signer: { address, nextNonce } }: { readonly chainId: number; readonly signer: PresentSigner },
): Promise<number> => {
  const counts = await readNonceCounts(rpc, address)
  const unanswered = rpc.nodes.length - counts.length
  if (unanswered > 0)
    throw new StartError(
      `Chain ${chainId}: ${unanswered} of ${rpc.nodes.length} nodes did not answer, and each of them may know a transaction. Try again, or remove nodes that no longer exist from RPC_URLS_${chainId}`,
    )
  const highest = highestNonceOf(counts)
  if (highest <= nextNonce) return nextNonce
  const final = await findFinal(sql, chainId)
  const usedTo = final && (await findUsedTo(rpc, address, final))
  if (usedTo === undefined || usedTo < highest)
    throw new StartError(
      `Chain ${chainId} has ${highest - nextNonce} transactions of ${address} that are not in the database, and not all of them are final and read yet: try again later`,
    )
  return highest
}

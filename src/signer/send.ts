import type { Ask } from '../chain/rpc/ask.ts'
import { broadcast } from '../chain/rpc/broadcast.ts'
import { RpcFault } from '../chain/rpc/rpc.ts'
import { recordSent } from '../queries/signer-nonces.ts'
import type { SignedTransaction } from './rows.ts'
import type { SigningServices } from './signing-services.ts'

const warnedHashes = new Set<string>()

type Sent = Pick<SignedTransaction, 'signerId' | 'nonce' | 'raw' | 'hash'>

/** Sends a recorded transaction to a node. If none accepts it, the signer checks send it again. */
export const broadcastSigned = async (
  services: SigningServices,
  ask: Ask,
  { signerId, nonce, raw, hash }: Sent,
): Promise<'taken' | 'refused' | 'unknown'> => {
  try {
    const refused = await broadcast(ask, raw, hash)
    await services.onStep?.('broadcast')
    if (refused) {
      // Logged once, because it is sent again regularly.
      if (!warnedHashes.has(hash))
        services.log.warn({ txHash: hash, code: refused.code }, 'refund transaction refused by RPC node')
      warnedHashes.add(hash)
      return 'refused'
    }
  } catch (error) {
    if (error instanceof RpcFault) return 'unknown'
    throw error
  }
  await recordSent(services.sql, { signerId, nonce, txHash: hash })
  await services.onStep?.('recorded')
  return 'taken'
}

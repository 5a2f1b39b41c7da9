import type { Ask } from '../chain/rpc/ask.ts'
import { broadcast } from '../chain/rpc/broadcast.ts'
import { RpcFault } from '../chain/rpc/rpc.ts'
import { noteSent } from '../queries/signer-nonces.ts'
import type { SigningDesk } from './desk.ts'
import type { SignedTransaction } from './rows.ts'

const warnedOf = new Set<string>()

type Sent = Pick<SignedTransaction, 'signerId' | 'nonce' | 'raw' | 'hash'>

/** Gives a node what is in the books. When none takes it, whoever looks after the signer goes on. */
export const broadcastSigned = async (
  desk: SigningDesk,
  ask: Ask,
  { signerId, nonce, raw, hash }: Sent,
): Promise<'taken' | 'refused' | 'unknown'> => {
  try {
    const refused = await broadcast(ask, raw, hash)
    await desk.at?.('broadcast')
    if (refused) {
      // It is sent again and again.
      if (!warnedOf.has(hash))
        desk.log.warn({ txHash: hash, code: refused.code }, 'refund transaction refused by RPC node')
      warnedOf.add(hash)
      return 'refused'
    }
  } catch (error) {
    if (error instanceof RpcFault) return 'unknown'
    throw error
  }
  await noteSent(desk.sql, { signerId, nonce, txHash: hash })
  await desk.at?.('recorded')
  return 'taken'
}

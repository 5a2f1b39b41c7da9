import { broadcast } from '../chain/broadcast.ts'
import type { Ask } from '../chain/collect/ask.ts'
import { RpcFault } from '../chain/rpc/rpc.ts'
import { noteSent } from '../queries/signer-nonces.ts'
import type { SigningDesk } from './desk.ts'
import type { Signed } from './rows.ts'

type Sent = Pick<Signed, 'signerId' | 'nonce' | 'raw' | 'hash'>

/** Gives a node what is in the books. When none takes it, whoever looks after the signer goes on. */
export const send = async (desk: SigningDesk, ask: Ask, { signerId, nonce, raw, hash }: Sent): Promise<void> => {
  try {
    const refused = await broadcast(ask, raw, hash)
    await desk.at?.('broadcast')
    if (refused) return desk.log.warn({ txHash: hash, code: refused.code }, 'a refund is not taken by its chain')
  } catch (error) {
    if (error instanceof RpcFault) return
    throw error
  }
  await noteSent(desk.sql, { signerId, nonce })
  await desk.at?.('recorded')
}

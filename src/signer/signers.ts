import type { Share } from '../chain/watch/share.ts'
import type { SigningDesk } from './desk.ts'
import { keepSigners } from './keep.ts'
import { signRefund } from './sign.ts'
import { openTurns } from './turns.ts'

/** The refund signers of all merchants, as one process works for them. */
export type Signers = {
  /** Signs it now, where its merchant has a signer. */
  sign(refundId: string): Promise<void>
  stop(): Promise<void>
}

export const startSigners = (desk: SigningDesk, share: Share): Signers => {
  const turns = openTurns()
  const keeper = keepSigners(desk, { share, turns })
  return { sign: refundId => signRefund(desk, turns, refundId), stop: keeper.stop }
}

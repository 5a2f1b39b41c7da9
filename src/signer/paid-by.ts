import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { OpenNonce } from '../queries/signer-nonces.ts'

/**
 * Whether a refund is being paid by a transaction with this nonce. A failed refund may have been signed manually in the
 * meantime; then the nonce no longer concerns it.
 */
export const isPaidBy = ({ state, context }: Actor<Refund>, { attempts }: OpenNonce): boolean =>
  state === 'processing' && attempts.some(({ txHash }) => txHash === context.txHash)

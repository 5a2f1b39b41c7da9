import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { OpenNonce } from '../queries/signer-nonces.ts'

/**
 * Whether it is with what was signed for this number that a refund is being paid. One that has failed may have been
 * paid by hand since, and what becomes of the number is nothing to it then.
 */
export const isPaidBy = ({ state, context }: Actor<Refund>, { attempts }: OpenNonce): boolean =>
  state === 'processing' && attempts.some(({ txHash }) => txHash === context.txHash)

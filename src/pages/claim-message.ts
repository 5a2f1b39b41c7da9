import { encodeId } from '../ids.ts'
import type { VisitedClaim } from '../queries/refund-claims.ts'
import { amountOf } from './claim-facts.ts'

/** What stands where an address goes, for the page's script to fill in. */
export const ADDRESS_BLANK = '{address}'

/**
 * What a wallet is asked to sign: that its key agrees to this refund at this house, and to nothing else. The address
 * in small letters, which need no checksum to be agreed on.
 */
export const claimMessage = (claim: VisitedClaim, host: string, address: string = ADDRESS_BLANK): string =>
  [
    'Send my refund to this address, which is mine.',
    '',
    `Address: ${address.toLowerCase()}`,
    `Amount: ${amountOf(claim)}`,
    `Refund: ${encodeId('re', claim.refund.id)}`,
    `Asked by: ${host}`,
  ].join('\n')

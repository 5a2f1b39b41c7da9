import { encodeId } from '../../ids.ts'
import type { VisitedClaim } from '../../queries/refund-claims.ts'
import { claimAmount } from './facts.ts'

/** Placeholder for the address; the script of the page replaces it. */
export const ADDRESS_BLANK = '{address}'

/**
 * The message that a wallet signs. It names the refund and this server, so that the signature cannot be used for anything
 * else. The address is in lower case, so that both sides build the same message whatever its checksum.
 */
export const claimMessage = (claim: VisitedClaim, host: string, address: string = ADDRESS_BLANK): string =>
  [
    'Send my refund to this address. It belongs to me.',
    '',
    `Address: ${address.toLowerCase()}`,
    `Amount: ${claimAmount(claim)}`,
    `Refund: ${encodeId('re', claim.refund.id)}`,
    `Requested by: ${host}`,
  ].join('\n')

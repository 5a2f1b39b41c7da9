import { encodeId } from '../../ids.ts'
import type { VisitedClaim } from '../../queries/refund-claims.ts'
import { unitsOf } from '../money.ts'

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
    `Amount: ${plainAmount(claim)}`,
    `Refund: ${encodeId('re', claim.refund.id)}`,
    `Requested by: ${host}`,
  ].join('\n')

/** The same in every language. Supported tokens are at par with a currency, so they have two decimals like money. */
const plainAmount = ({ refund: { context }, decimals }: VisitedClaim): string =>
  `${unitsOf(context.amount, decimals, context.tokenAddress === null ? 0 : 2)} ${context.asset}`

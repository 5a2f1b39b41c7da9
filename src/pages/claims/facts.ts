import type { VisitedClaim } from '../../queries/refund-claims.ts'
import { unitsOf } from '../money.ts'

/** `16.20 TUSD`: the amount of the refund. Supported tokens are at par with a currency, so they have two decimals like money. */
export const claimAmount = ({ refund: { context }, decimals }: VisitedClaim): string =>
  `${unitsOf(context.amount, decimals, context.tokenAddress === null ? 0 : 2)} ${context.asset}`

/** Enough to recognize your own address, not enough to learn the address of someone else. */
export const masked = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

import type { VisitedClaim } from '../queries/refund-claims.ts'
import { unitsOf } from './money.ts'

/** `16.20 TUSD`: what arrives. Tokens that can be paid with are at par with a currency, and are written like money. */
export const amountOf = ({ refund: { context }, decimals }: VisitedClaim): string =>
  `${unitsOf(context.amount, decimals, context.tokenAddress === null ? 0 : 2)} ${context.asset}`

/** Enough to know one's own again, and not enough to learn another's. */
export const masked = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

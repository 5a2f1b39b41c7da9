import type { VisitedClaim } from '../queries/refund-claims.ts'
import { unitsOf } from './money.ts'

/** `16.2 TUSD`: what arrives. */
export const amountOf = ({ refund: { context }, decimals }: VisitedClaim): string =>
  `${unitsOf(context.amount, decimals)} ${context.asset}`

/** Enough to know one's own again, and not enough to learn another's. */
export const masked = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

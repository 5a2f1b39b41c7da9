import { type } from 'arktype'
import { type Ask, findHex, getBigint } from './ask.ts'
import { blockAt } from './block.ts'
import { readBigint } from './hex.ts'

/** What a unit of gas may cost, as the chain takes it. */
export type Fees =
  | { readonly type: 'legacy'; readonly gasPrice: bigint }
  | { readonly type: 'eip1559'; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Room for the base fee to double, since a transaction that no block takes would hold the next ones up. */
export const readFees = async (ask: Ask): Promise<Fees> => {
  const [latest] = await ask([blockAt('latest')])
  const gasPrice = await getBigint(ask, 'eth_gasPrice', [])
  const block = blockWithFee(latest)
  if (block instanceof type.errors) return { type: 'legacy', gasPrice }
  const baseFee = BigInt(block.baseFeePerGas)
  const tip = await findHex(ask, 'eth_maxPriorityFeePerGas', [])
  const over = gasPrice > baseFee ? gasPrice - baseFee : 0n
  const maxPriorityFeePerGas = tip === undefined ? over : readBigint(tip, 'eth_maxPriorityFeePerGas')
  return { type: 'eip1559', maxPriorityFeePerGas, maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas }
}

/** The most that a unit of gas costs by these. */
export const mostOf = (fees: Fees): bigint => (fees.type === 'legacy' ? fees.gasPrice : fees.maxFeePerGas)

export const tipOf = (fees: Fees): bigint | null => (fees.type === 'legacy' ? null : fees.maxPriorityFeePerGas)

/** What is written down of fees, in the shape that they are signed in. */
export const feesOf = (most: bigint, tip: bigint | null): Fees =>
  tip === null ? { type: 'legacy', gasPrice: most } : { type: 'eip1559', maxFeePerGas: most, maxPriorityFeePerGas: tip }

/**
 * Nodes take another transaction for one that they have at a tenth more; an eighth is what the strictest ask. Where the
 * whole price is paid, so would be what a node calls the base fee: no more of that is believed than of a price.
 */
export const raised = (before: Fees, now: Fees): Fees => {
  const tip = tipOf(before)
  const asked = tip === null ? smaller(mostOf(now), MOST) : mostOf(now)
  const most = larger(eighthMore(mostOf(before)), asked)
  return feesOf(most, tip === null ? null : larger(eighthMore(tip), tipOf(now) ?? 0n))
}

/**
 * A node may say anything, its base fee included, and the tip is paid as it is said, as is a price where there are no
 * tips; the rest is what the chain takes. Polygon asks for a tip of 30 where nothing is going on.
 */
export const withinReason = (fees: Fees): Fees => {
  if (fees.type === 'legacy') return { ...fees, gasPrice: smaller(fees.gasPrice, MOST) }
  const tip = fees.maxPriorityFeePerGas
  const base = fees.maxFeePerGas - tip
  const most = smaller(larger(2n * base, 100n * GWEI), MOST)
  return tip <= most ? fees : { ...fees, maxFeePerGas: base + most, maxPriorityFeePerGas: most }
}

const GWEI = 10n ** 9n

/** A refund takes some 60,000 units of gas: for 0.03 coins at this. */
const MOST = 500n * GWEI

const eighthMore = (fee: bigint): bigint => (fee * 9n) / 8n + 1n

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const blockWithFee = type({ baseFeePerGas: '/^0x[0-9a-f]+$/' })

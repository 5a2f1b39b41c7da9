import { type } from 'arktype'
import { type Ask, findHex, getBigint } from './ask.ts'
import { blockCall } from './block.ts'
import { readBigint } from './hex.ts'

/** The price of a unit of gas, in the form that the chain accepts. */
export type Fees =
  | { readonly type: 'legacy'; readonly gasPrice: bigint }
  | { readonly type: 'eip1559'; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/**
 * The maximum fee leaves room for the base fee to double: a transaction whose fee is too low would block the next ones
 * of its sender.
 */
export const readFees = async (ask: Ask): Promise<Fees> => {
  const [latest] = await ask([blockCall('latest')])
  const gasPrice = await getBigint(ask, 'eth_gasPrice', [])
  const block = blockWithFee(latest)
  if (block instanceof type.errors) return { type: 'legacy', gasPrice }
  const baseFee = BigInt(block.baseFeePerGas)
  const tip = await findHex(ask, 'eth_maxPriorityFeePerGas', [])
  const overBaseFee = gasPrice > baseFee ? gasPrice - baseFee : 0n
  const maxPriorityFeePerGas = tip === undefined ? overBaseFee : readBigint(tip, 'eth_maxPriorityFeePerGas')
  return { type: 'eip1559', maxPriorityFeePerGas, maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas }
}

/** The highest price per unit of gas. */
export const maxFeeOf = (fees: Fees): bigint => (fees.type === 'legacy' ? fees.gasPrice : fees.maxFeePerGas)

export const tipOf = (fees: Fees): bigint | null => (fees.type === 'legacy' ? null : fees.maxPriorityFeePerGas)

/** Fees as they are signed, from the two stored columns. */
export const feesOf = (maxFee: bigint, tip: bigint | null): Fees =>
  tip === null
    ? { type: 'legacy', gasPrice: maxFee }
    : { type: 'eip1559', maxFeePerGas: maxFee, maxPriorityFeePerGas: tip }

/**
 * Fees of a replacement transaction. Nodes accept a replacement at a tenth more; the strictest ask for an eighth. A
 * legacy transaction pays its whole gas price, so an inflated price from a node would be paid in full: it is capped.
 */
export const raiseFees = (before: Fees, now: Fees): Fees => {
  const tip = tipOf(before)
  const asked = tip === null ? min(maxFeeOf(now), MAX_FEE) : maxFeeOf(now)
  const most = max(eighthMore(maxFeeOf(before)), asked)
  return feesOf(most, tip === null ? null : max(eighthMore(tip), tipOf(now) ?? 0n))
}

/**
 * Caps the fees that a node suggests. The tip is paid as suggested, and so is a legacy gas price, so both are capped;
 * of the base fee only what the chain charges is paid. Polygon suggests a tip of 30 gwei when nothing is going on.
 */
export const capFees = (fees: Fees): Fees => {
  if (fees.type === 'legacy') return { ...fees, gasPrice: min(fees.gasPrice, MAX_FEE) }
  const tip = fees.maxPriorityFeePerGas
  const base = fees.maxFeePerGas - tip
  const most = min(max(2n * base, 100n * GWEI), MAX_FEE)
  return tip <= most ? fees : { ...fees, maxFeePerGas: base + most, maxPriorityFeePerGas: most }
}

const GWEI = 10n ** 9n

/** At this price the 60,000 units of gas of a refund cost 0.03 of the native currency. */
const MAX_FEE = 500n * GWEI

const eighthMore = (fee: bigint): bigint => (fee * 9n) / 8n + 1n

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const blockWithFee = type({ baseFeePerGas: '/^0x[0-9a-f]+$/' })

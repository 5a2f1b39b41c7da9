import { readBigint } from '../rpc/hex.ts'
import { type Rpc, resultOf } from '../rpc/rpc.ts'
import { type Price, tenTo } from './amount.ts'
import { minorDigits } from './minor-digits.ts'
import type { ChainPrices, Prices } from './prices.ts'

/** Estimated network fee of a transfer, in minor units of a currency. */
export type NetworkFee = { readonly token: number; readonly native: number }

export type NetworkFees = {
  /**
   * The fees at the gas price of the latest block. `priceIn` finds the price of the native currency. Undefined without a
   * gas price or a price; never throws.
   */
  read(currency: string, priceIn: (known: ChainPrices) => Price | undefined): Promise<NetworkFee | undefined>
}

/** Gas of a transfer, rounded up from what common tokens use. */
const TOKEN_GAS = 65_000n
const NATIVE_GAS = 21_000n

const FRESH_MS = 5_000
const GAS_TIMEOUT_MS = 2_000
/** Longer than a node in good order takes. The checkout is shown without fees rather than later. */
const WAIT_MS = 1_000

export const openNetworkFees = (rpc: Pick<Rpc, 'read'>, prices: Pick<Prices, 'read'>): NetworkFees => {
  const readGasPrice = openGasPrice(rpc)
  // While the nodes do not answer, a caller does not wait again for a reading that another one has given up.
  let isLate = false

  const read = async () => {
    const reading = await Promise.all([readGasPrice(), prices.read()])
    isLate = false
    return reading
  }

  return {
    read: async (currency, priceIn) => {
      const reading = await within(isLate ? 1 : WAIT_MS, read())
      if (!reading) {
        isLate = true
        return undefined
      }
      const [gasPrice, known] = reading
      const price = priceIn(known)
      return price && gasPrice !== undefined ? feeOf(gasPrice, currency, price) : undefined
    },
  }
}

const feeOf = (gasPrice: bigint, currency: string, price: Price): NetworkFee | undefined => {
  const token = minorOf(TOKEN_GAS * gasPrice, currency, price)
  const native = minorOf(NATIVE_GAS * gasPrice, currency, price)
  // Only a false gas price leads there.
  return token > Number.MAX_SAFE_INTEGER ? undefined : { token: Number(token), native: Number(native) }
}

/** Rounded up, so that a small fee is not shown as none. */
const minorOf = (wei: bigint, currency: string, { numerator, denominator }: Price): bigint => {
  const above = wei * numerator * tenTo(minorDigits(currency))
  const below = tenTo(18) * denominator
  return (above + below - 1n) / below
}

/** One request at a time, at most every few seconds. Undefined if no node has an answer. */
const openGasPrice = (rpc: Pick<Rpc, 'read'>) => {
  let reading: Promise<bigint | undefined> | undefined
  let until = 0

  const readNow = async (): Promise<bigint | undefined> => {
    try {
      const call = { method: 'eth_gasPrice', params: [] }
      const read = ([answer]: readonly unknown[]) => readBigint(resultOf(answer), 'eth_gasPrice')
      return await rpc.read([call], read, { timeoutMs: GAS_TIMEOUT_MS })
    } catch {
      return undefined
    } finally {
      until = performance.now() + FRESH_MS
    }
  }

  return (): Promise<bigint | undefined> => {
    if (reading && performance.now() < until) return reading
    until = Number.POSITIVE_INFINITY
    reading = readNow()
    return reading
  }
}

/** The result, or undefined if it takes longer. */
const within = async <T>(ms: number, result: Promise<T>): Promise<T | undefined> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([result, over])
  } finally {
    clearTimeout(timer)
  }
}

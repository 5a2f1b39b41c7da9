import { type Bench, printSizes } from './bench.ts'
import { type EraseSizes, promiseErase } from './billing-erase.ts'

export type BillingSizes = EraseSizes

const whole: BillingSizes = { payments: 10_000, callers: 8, quietMs: 15_000 }
const quick: BillingSizes = { payments: 1_000, callers: 4, quietMs: 3_000 }

/** What erasing a customer with many payments takes, and what it costs other requests. */
export const billing = (bench: Bench): Promise<void> => measureBilling(bench, bench.quick ? quick : whole)

export const measureBilling = async (bench: Bench, sizes: BillingSizes): Promise<void> => {
  printSizes(bench, sizes)
  await promiseErase(bench, sizes)
}

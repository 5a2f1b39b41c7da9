import { type Bench, printSizes } from './bench.ts'
import { type ClockSizes, promiseClock } from './billing-clock.ts'
import { type EraseSizes, promiseErase } from './billing-erase.ts'
import { type FinalizeSizes, promiseFinalizations } from './billing-finalize.ts'
import { type PdfSizes, promisePdf } from './billing-pdf.ts'
import { promiseRenewals, type RenewalSizes } from './billing-renewals.ts'

export type BillingSizes = EraseSizes & FinalizeSizes & PdfSizes & RenewalSizes & ClockSizes

const whole: BillingSizes = {
  ...{ rounds: 3, invoices: 10_000, issuers: 64, kills: 6, others: 1_000, otherCallers: 8, renderings: 50 },
  ...{ payments: 10_000, callers: 8, quietMs: 15_000 },
  ...{ subscriptions: 200_000, renewalKills: 5, renewalCallers: 10, insertMs: 300_000 },
  ...{ clockSubscriptions: 100, clockMonths: 13 },
}
const quick: BillingSizes = {
  ...{ rounds: 2, invoices: 2_000, issuers: 64, kills: 2, others: 200, otherCallers: 8, renderings: 10 },
  ...{ payments: 1_000, callers: 4, quietMs: 3_000 },
  ...{ subscriptions: 2_000, renewalKills: 2, renewalCallers: 10, insertMs: 30_000 },
  ...{ clockSubscriptions: 20, clockMonths: 13 },
}

/**
 * How fast the invoices of one merchant get their numbers, also through kills, and what it costs others that their counter is
 * locked; how long a PDF takes; what erasing a customer with many payments takes, and what it costs other requests; how long
 * it takes until all subscriptions whose periods begin at one instant are renewed, also through kills, and what it costs other
 * requests; how long a test clock takes.
 */
export const billing = (bench: Bench): Promise<void> => measureBilling(bench, bench.quick ? quick : whole)

export const measureBilling = async (bench: Bench, sizes: BillingSizes): Promise<void> => {
  printSizes(bench, sizes)
  await promiseFinalizations(bench, sizes)
  await promisePdf(bench, sizes)
  await promiseErase(bench, sizes)
  await promiseRenewals(bench, sizes)
  await promiseClock(bench, sizes)
}

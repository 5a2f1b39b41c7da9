import { dayIn } from '../../../billing/days.ts'
import type { PaymentWithCrypto } from '../../api/calls.ts'

/** The API has no sums of one customer in time: its payments of twelve months are added here, up to so many pages of them. */
const MOST_PAGES = 10
export const PAGE = 100

type Page = { readonly data: readonly PaymentWithCrypto[]; readonly has_more: boolean }

export type PaymentsRead = {
  /** Newest first. */
  readonly payments: readonly PaymentWithCrypto[]
  /** There are older ones, which were not read. */
  readonly hasMore: boolean
}

export const readPayments = async (
  read: (startingAfter: string | undefined) => Promise<Page>,
): Promise<PaymentsRead> => {
  const payments: PaymentWithCrypto[] = []
  for (let n = 1; ; n++) {
    const { data, has_more: hasMore } = await read(payments.at(-1)?.id)
    payments.push(...data)
    if (!hasMore || n === MOST_PAGES) return { payments, hasMore }
  }
}

/** The sum and the number of the payments of a month, such as `2026-11`; undefined if not all of them were read. */
export const paidInMonth = ({ payments, hasMore }: PaymentsRead, currency: string, timeZone: string) => {
  const monthOf = ({ createdAt }: PaymentWithCrypto) => dayIn(timeZone, new Date(createdAt)).slice(0, 7)
  const oldest = payments.at(-1)
  return (month: string): { readonly minor: number; readonly count: number } | undefined => {
    if (hasMore && oldest && month <= monthOf(oldest)) return undefined
    const found = payments.filter(each => each.currency === currency && monthOf(each) === month)
    return { minor: found.reduce((sum, { amountMinor }) => sum + amountMinor, 0), count: found.length }
  }
}

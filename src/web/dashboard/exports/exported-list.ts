/** A list as a page shows it: what an export of it contains. */
export type ExportedList = {
  readonly kind: 'payments' | 'refunds' | 'invoices' | 'credit-notes' | 'subscriptions' | 'customers' | 'balances'
  /** The filters that are set, by their names in the API. */
  readonly filters: Readonly<Record<string, string | boolean | string[] | undefined>>
  /** The number of days that the list goes back; undefined: all. */
  readonly days?: number | undefined
}

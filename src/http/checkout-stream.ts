import { createHash } from 'node:crypto'
import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import type { BalanceChecks } from '../commands/balance-checks.ts'
import { receiptUrlOf } from '../commands/receipts.ts'
import type { Keyring } from '../keyring.ts'
import { listChangedPayments, type WatchedPayment, watchedRev } from '../queries/checkouts.ts'
import type { ShownPayment } from '../queries/payments.ts'
import { cryptoFactsOf } from '../records/crypto-facts.ts'
import { checkoutPaymentRecord } from '../records/payment.ts'
import { openStreams, type StreamedState, type Streams } from './checkout-streams.ts'

/** The event streams of a process. */
export const openPaymentStreams = (
  api: CustomersView & Pick<Services, 'sql' | 'log'> & { readonly balanceChecks: BalanceChecks },
): Streams =>
  openStreams({
    log: api.log,
    look: async revisions => {
      const changed = await listChangedPayments(api.sql, revisions)
      for (const { payment } of changed) api.balanceChecks.request(payment)
      return new Map(changed.map(each => [each.payment.id, seenOf(api, each)]))
    },
  })

/** What the record of a customer is made with. */
export type CustomersView = {
  readonly chains: Chains
  readonly keyring: Keyring
  readonly settings: { readonly publicUrl: string }
}

/** The payment as its customer reads it. */
export const customersPayment = (
  { chains, keyring, settings }: CustomersView,
  { payment, shown }: ShownPayment,
): ReturnType<typeof checkoutPaymentRecord.render> =>
  checkoutPaymentRecord.render(payment, {
    facts: cryptoFactsOf(payment.context, shown, chains),
    receiptUrl: receiptUrlOf(settings.publicUrl, keyring, payment.id),
  })

/** A payment has changed if its revision has changed, its facts on the chain, or the invoice that it pays. */
export const seenOf = (view: CustomersView, found: WatchedPayment): StreamedState => ({
  rev: watchedRev(found),
  key: `${watchedRev(found)} ${JSON.stringify(found.shown)}`,
  say: () => {
    const record = customersPayment(view, found)
    const data = JSON.stringify(record)
    // The digest, because transfers or the invoice can change while the first two parts stay the same. Those are for people.
    const digest = createHash('sha256').update(`${found.invoiceRev} ${data}`).digest('hex').slice(0, 12)
    return { id: `${found.payment.rev}-${record.crypto?.confirmations ?? 0}-${digest}`, data }
  },
})

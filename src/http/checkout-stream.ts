import { createHash } from 'node:crypto'
import type { World } from '../actors/world.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import type { Looks } from '../commands/looks.ts'
import { listWatched } from '../queries/checkouts.ts'
import { readShown, type ShownPayment } from '../queries/payments.ts'
import { cryptoFactsOf } from '../records/crypto-facts.ts'
import { checkoutPayment } from '../records/payment.ts'
import { openStreams, type StreamedState, type Streams } from './checkout-streams.ts'

/** The event streams of a process. */
export const openPaymentStreams = ({ sql, log }: Pick<World, 'sql' | 'log'>, chains: Chains, looks: Looks): Streams =>
  openStreams({
    log,
    look: async ids => {
      const all = (await listWatched(sql, ids)).map(readShown)
      for (const { payment } of all) looks.want(payment)
      return new Map(all.map(each => [each.payment.id, seenOf(chains, each)]))
    },
  })

/** A payment has changed if its revision has changed, or its facts on the chain. */
export const seenOf = (chains: Chains, { payment, shown }: ShownPayment): StreamedState => ({
  key: `${payment.rev} ${JSON.stringify(shown)}`,
  say: () => {
    const record = checkoutPayment(payment, cryptoFactsOf(payment.context, shown, chains))
    const data = JSON.stringify(record)
    // The digest, because transfers can change while the first two parts stay the same. Those are for people.
    const digest = createHash('sha256').update(data).digest('hex').slice(0, 12)
    return { id: `${payment.rev}-${record.crypto?.confirmations ?? 0}-${digest}`, data }
  },
})

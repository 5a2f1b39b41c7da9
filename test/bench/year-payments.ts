import { setTimeout as sleep } from 'node:timers/promises'
import { encodeId } from '../../src/ids.ts'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import type { BenchOutput } from './bench.ts'
import { inTurns } from './callers.ts'
import { AMOUNT_MINOR } from './payments-setup.ts'
import { median, milliseconds, thousands, times } from './promises.ts'
import type { YearSide } from './year-lists.ts'
import { ASSET, chain } from './year-service.ts'

const DUE = BigInt(AMOUNT_MINOR) * 10n ** 4n
/** Until a payment is final. */
const CONFIRMATIONS = 41
const BOUND = 1.3

export type YearPaymentSizes = {
  /** Pairs of turns that are not measured. */
  readonly paymentWarmUps: number
  /** Pairs of turns with many and with few; a turn opens so many payments one after the other, and pays them. */
  readonly paymentTurns: number
  readonly opened: number
}

type Cost = { readonly open: number; readonly finish: number }

/**
 * Payments are opened over HTTP, one after the other; then all of a turn are paid. Measured from the poll that finds the
 * transfers until the webhooks are answered.
 */
export const promisePayments = async (
  { print, report }: BenchOutput,
  { many, few, sizes }: { readonly many: YearSide; readonly few: YearSide; readonly sizes: YearPaymentSizes },
): Promise<void> => {
  await using ofMany = await openPaying(many)
  await using ofFew = await openPaying(few)
  const costs: { readonly many: Cost; readonly few: Cost }[] = []
  const turn = async ({ pay }: typeof ofMany, n: number, into: Cost[]): Promise<number> => {
    const cost = await pay(sizes.opened, n)
    into.push(cost)
    return cost.finish
  }
  const [manyCosts, fewCosts]: [Cost[], Cost[]] = [[], []]
  let n = 0
  await inTurns(
    sizes.paymentWarmUps + sizes.paymentTurns,
    () => turn(ofMany, n++, manyCosts),
    () => turn(ofFew, n++, fewCosts),
  )
  for (const [at, cost] of manyCosts.entries()) {
    const other = fewCosts[at]
    if (at >= sizes.paymentWarmUps && other) costs.push({ many: cost, few: other })
  }
  for (const which of ['open', 'finish'] as const) {
    const [manyMs, fewMs] = [median(costs.map(cost => cost.many[which])), median(costs.map(cost => cost.few[which]))]
    print(
      `${which}: ${costs.map(cost => `${milliseconds(cost.many[which])} against ${milliseconds(cost.few[which])}`)}`,
    )
    report.atMost(
      `${which === 'open' ? 'opening a payment' : 'paying a payment, until its webhook is answered,'} with ${thousands(many.payments)} payments against ${thousands(few.payments)}`,
      manyMs / fewMs,
      BOUND,
      {
        as: times,
        from: `${milliseconds(manyMs)} against ${milliseconds(fewMs)} each, p50 of ${costs.length} turns of ${sizes.opened}`,
      },
    )
  }
}

const openPaying = async ({ url, service, merchantId }: YearSide) => {
  const sql = connect(url, { max: 1 })
  const links = await sql<{ id: string }[]>`
    select id from payment_links where merchant_id = ${merchantId} and state = 'active' order by seq desc limit 50`
  const { node, receiver } = service
  /**
   * Waits for a poll, and returns the time of the next. The service polls once a second, longer than a turn takes: a turn that
   * began at any time would measure what is left of the second.
   */
  const awaitPoll = async (): Promise<number> => {
    await node.mine()
    const head = Number(await node.call('eth_blockNumber'))
    const wasRead = async () =>
      (await sql`select from chain_cursors where chain_id = ${chain.id} and number >= ${head}`).length > 0
    await until(wasRead, { timeoutMs: 60_000, everyMs: 2, what: `block ${head} in the database` })
    const next = performance.now() + chain.pollMs
    // The poll looks for another block before it ends.
    await sleep(chain.pollMs / 4)
    return next
  }
  const pay = async (count: number, turn: number): Promise<Cost> => {
    const addresses: string[] = []
    const took: number[] = []
    for (let n = 0; n < count; n++) {
      const link = links[n % links.length]
      const began = performance.now()
      const answer = await fetch(`${service.url}/v1/checkout/links/${encodeId('plink', link?.id ?? '')}/payments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          customerEmail: `visitor.${turn}.${n}@example.com`,
          customerName: 'Ada Example',
          ...ASSET,
        }),
      })
      const text = await answer.text()
      if (answer.status !== 201) throw new Error(`a payment was not opened: ${answer.status} ${text}`)
      took.push(performance.now() - began)
      addresses.push(
        (JSON.parse(text) as { payment: { crypto: { address: string } } }).payment.crypto.address.toLowerCase(),
      )
    }
    const before = (await receiver.counts()).distinct
    const began = await awaitPoll()
    await node.pay(addresses, DUE)
    await node.mine()
    await node.mine(CONFIRMATIONS)
    await until(async () => (await receiver.counts()).distinct >= before + count, {
      ...{ timeoutMs: 60_000, everyMs: 5, what: `${count} finished payments` },
    })
    return { open: median(took), finish: (performance.now() - began) / count }
  }
  return { pay, [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
}

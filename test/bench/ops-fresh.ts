import { setTimeout as sleep } from 'node:timers/promises'
import { openCalls } from '../../src/demo/call.ts'
import { kinds } from '../../src/kinds/all.ts'
import { uncountedStates } from '../../src/kinds/definition.ts'
import { countsDiffer } from '../chaos/checks.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import type { OpsSizes } from './ops.ts'
import { milliseconds } from './promises.ts'
import { TRANSITIONS_OF_PAYMENT } from './streams-payments.ts'
import { allDelivered } from './streams-settle.ts'
import type { StreamShop } from './streams-shop.ts'
import { startWriter } from './streams-writer.ts'

/** The counts of states after each commit, and at moments while others commit. */
export const promiseFreshCounts = async ({ report }: Bench, shop: StreamShop, sizes: OpsSizes): Promise<void> => {
  const call = openCalls(shop.url, await shop.bearer())
  const activeLinks = async (): Promise<number> => {
    const { json } = await call('GET', '/v1/ops/machines')
    const { data } = json as { data: readonly { kind: string; states: readonly { state: string; count: number }[] }[] }
    const machine = data.find(({ kind }) => kind === 'payment_link')
    return machine?.states.find(({ state }) => state === 'active')?.count ?? Number.NaN
  }
  const lags: number[] = []
  for (let n = 0, before = await activeLinks(); n < sizes.commits; n++) {
    await call('POST', `/v1/merchants/${shop.merchant}/payment-links`, { amountMinor: 100, currency: 'USD' })
    const committed = performance.now()
    await until(async () => (await activeLinks()) === before + n + 1, { everyMs: 5, what: 'the new count' })
    lags.push(performance.now() - committed)
  }
  report.atMost('counts of states, the slowest from a commit to its count', Math.max(...lags), 2_000, {
    as: milliseconds,
    from: `${sizes.commits} commits`,
  })
  const wrong: string[] = []
  {
    await using _writer = await startWriter(shop, {
      ...{ perSecond: sizes.perSecond, changesOfPayment: TRANSITIONS_OF_PAYMENT },
      ...{ changes: Number.MAX_SAFE_INTEGER, first: 40_000_000 },
    })
    for (let n = 0; n < sizes.commits; n++) {
      wrong.push(...(await differAtOnce(shop)))
      await sleep(100)
    }
  }
  await allDelivered(shop)
  wrong.push(...(await countsDiffer(shop)))
  report.judge(
    `counts of states at ${sizes.commits} moments with ${sizes.perSecond} changes a second, and after them`,
    wrong.length === 0,
    `${wrong.length} wrong ${wrong.slice(0, 5).join('; ')}`.trim(),
    'equal to the rows',
  )
}

/** Counts and rows in one snapshot, of the states that the history determines. */
const differAtOnce = async ({ sql }: StreamShop): Promise<readonly string[]> => {
  const [first, ...others] = kinds.map(
    ({ name, table }) => sql`select ${name}::text as kind, state, count(*) as actors from ${sql(table)} group by state`,
  )
  const uncounted = kinds.flatMap(kind => uncountedStates(kind).map(state => ({ kind: kind.name, state })))
  const found = await sql<{ kind: string; state: string; shown: string | null; real: string | null }[]>`
    with shown as (select kind, state, actors from count_states() where actors <> 0),
    real as (${first ?? sql``} ${others.map(each => sql`union all ${each}`)})
    select kind, state, shown.actors as shown, real.actors as real
    from shown full join real using (kind, state)
    where shown.actors is distinct from real.actors
      and (kind, state) not in (
        select kind, state from json_to_recordset(${JSON.stringify(uncounted)}::text::json) as r(kind text, state text))`
  return found.map(({ kind, state, shown, real }) => `${kind} ${state}: ${shown} instead of ${real}`)
}

import { openCalls } from '../../src/demo/call.ts'
import { kinds } from '../../src/kinds/all.ts'
import { arrowsOf, statesOf } from '../../src/kinds/definition.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { countsDiffer } from '../chaos/checks.ts'
import type { Bench } from './bench.ts'
import type { OpsSizes } from './ops.ts'
import { median, milliseconds, percentile, thousands } from './promises.ts'
import { openStreamShop } from './streams-shop.ts'

const windows = ['1h', '24h', '7d', '30d'] as const

/** `GET /v1/ops/machines` with many actors and full sums of the last days. */
export const promiseMachines = async (bench: Bench, { actors, reads, days }: OpsSizes): Promise<void> => {
  const { server, print, report } = bench
  await using shop = await openStreamShop(server, { links: 1, rows: 1 })
  const began = performance.now()
  await insertActors(shop.sql, actors)
  await fillSums(shop.sql, days)
  print(`${thousands(actors)} actors in ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  const wrong = await countsDiffer(shop)
  report.judge(
    `counts of ${thousands(actors)} actors`,
    wrong.length === 0,
    `${wrong.length} wrong`,
    'equal to the rows',
  )
  const call = openCalls(shop.url, await shop.bearer())
  for (const window of windows) {
    const took: number[] = []
    for (let n = 0; n <= reads; n++) {
      const asked = performance.now()
      await call('GET', `/v1/ops/machines?window=${window}`)
      // The first has the plans to make.
      if (n > 0) took.push(performance.now() - asked)
    }
    report.atMost(`machines with ${thousands(actors)} actors, window ${window}, p50`, median(took), 100, {
      as: milliseconds,
      from: `p95 ${milliseconds(percentile(took, 0.95))}`,
    })
  }
}

/** Copies of a payment link, which has the fewest indexes, and their count. */
const insertActors = async (sql: Sql, count: number): Promise<void> => {
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = 'payment_links'::regclass and attnum > 0 and not attisdropped and attidentity = '' order by attnum`
  const names = columns.map(({ name }) => name)
  const values = names.map(name => (name === 'id' ? 'new_uuidv7()' : `p.${name}`))
  const batch = Math.max(1, Math.ceil(count / 10))
  for (let made = 0; made < count; made += batch)
    await sql.unsafe(`
      insert into payment_links (${names.join(', ')})
      select ${values.join(', ')} from (select * from payment_links where state = 'active' limit 1) p,
        generate_series(1, ${Math.min(batch, count - made)})`)
  await sql`
    insert into machine_states values ('payment_link', 'active', ${count})
    on conflict (kind, state) do update set actors = machine_states.actors + excluded.actors`
  await sql`vacuum (analyze) payment_links`
}

/** Classes of duration that the stays of a state have in a span of time. */
const CLASSES = { minute: 40, hour: 80, day: 120, week: 150 } as const
const spansOf = (days: number) => ({
  minute: ['2 hours', '1 minute'],
  hour: [`${days} days`, '1 hour'],
  day: [`${days} days`, '1 day'],
  week: [`${days} days`, '7 days'],
})

/** Every arrow of every machine in every span, and stays of many durations in every state that is left. */
const fillSums = async (sql: Sql, days: number): Promise<void> => {
  const arrows = JSON.stringify(
    kinds.flatMap(kind => arrowsOf(kind).map(({ from, to }) => ({ kind: kind.name, from, to }))),
  )
  const states = JSON.stringify(
    kinds.flatMap(kind =>
      statesOf(kind).flatMap(({ state, isFinal }) => (isFinal ? [] : [{ kind: kind.name, state }])),
    ),
  )
  for (const [span, [since = '', step = '']] of Object.entries(spansOf(days))) {
    const starts = sql`
      generate_series(date_trunc(${span}, now() - ${since}::text::interval, 'UTC'), now(), ${step}::text::interval) s (at)`
    await sql`
      insert into machine_flows
      select ${span}::text, s.at, a.kind, a.from, a.to, 7
      from json_to_recordset(${arrows}::text::json) a (kind text, "from" text, "to" text), ${starts}
      on conflict do nothing`
    const kept = span === 'hour' ? sql`s.at > now() - interval '25 hours'` : sql`true`
    await sql`
      insert into machine_stays
      select ${span}::text, s.at, a.kind, a.state, duration, 3
      from json_to_recordset(${states}::text::json) a (kind text, state text), ${starts},
        generate_series(30, 30 + ${CLASSES[span as keyof typeof CLASSES]}::integer - 1) duration
      where ${kept}
      on conflict do nothing`
  }
  await sql`vacuum (analyze) machine_flows, machine_stays`
}

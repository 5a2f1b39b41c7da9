import { expect, test } from 'bun:test'
import { addDays, dayIn } from '../../src/billing/days.ts'
import { analyticsRoutes } from '../../src/http/analytics.ts'
import { encodeId } from '../../src/ids.ts'
import { paymentSumsReader, rebuildPaymentSums } from '../../src/queries/payment-sums.ts'
import { newId } from '../actors/lamps.ts'
import { randomOf } from '../harness/random.ts'
import { until } from '../harness/until.ts'
import { happenAt } from './happen-at.ts'
import { makePayment } from './payments.ts'
import { twoShops } from './two-shops.ts'

const { server, lamps, chairs, ask } = await twoShops({ routes: analyticsRoutes })
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }
const zone = 'Europe/Berlin'
const random = randomOf(7)
const hours = (count: number) => count * 3_600_000

type Row = Readonly<Record<string, unknown>>
type Series = {
  readonly timeZone: string
  readonly asOf: string
  readonly buckets: readonly { readonly start: string; readonly end: string; readonly rows: readonly Row[] }[]
  readonly totals: readonly Row[]
}
const series = async (query: Readonly<Record<string, string>>, whose = lamps) => {
  const path = `${whose.path}/analytics/series?${new URLSearchParams(query)}`
  const answer = await ask('GET', '', { path, bearer: whose.owner.bearer })
  return { ...answer, ...(answer.json as Series) }
}
const readAll = (most: number) => until(async () => (await paymentSumsReader.add(sql, most)) === 0)

/** Sundays of this year and the last one on which the clocks change in Berlin, within 400 days. */
const changes = (month: number): Date => {
  const now = new Date()
  for (let year = now.getUTCFullYear(); ; year--) {
    const last = new Date(Date.UTC(year, month, 31, 1))
    const sunday = new Date(last.getTime() - last.getUTCDay() * hours(24))
    if (sunday < now) return sunday
  }
}
const [spring, autumn] = [changes(2), changes(9)]

const situations = [
  ...['new', 'picked', 'picked ether', 'little', 'processing', 'success', 'success', 'success', 'expired'],
  ...['late', 'failed', 'underpaid', 'canceled', 'accepted early', 'failed late'],
]

test('figures by bucket, breakdown and time zone are those that the history gives, also on days with 23 and 25 hours', async () => {
  await sql`update billing_settings set time_zone = ${zone}, sums_time_zone = ${zone} where merchant_id = ${lamps.merchantId}`
  for (let i = 0; i < 120; i++) {
    const situation = situations[i % situations.length]
    const link = { maxPayments: i % 4 === 0 ? 1 : null, hidden: i % 4 === 1 }
    const { actor } = await makePayment(api, mode, situation, { ...link, amountMinor: 1_000 })
    const near = [spring, autumn, new Date(Date.now() - hours(24 * 3))][i % 3] ?? spring
    await happenAt(
      sql,
      actor,
      new Date(near.getTime() + (random() - 0.6) * hours(60)),
      Math.round(1_000 + random() * hours(3)),
    )
  }
  // A payment that moves to another asset before it is paid, and one that is seen twice.
  await makePayment(api, mode, 'pick ether, pick, see 1000, all 1000 final')
  await makePayment(api, mode, 'pick, see 1000, lose all, see 1000, all 1000 final')
  await readAll(7)

  const history = await readStories()
  const spans = [
    { from: spring.getTime() - hours(72), to: spring.getTime() + hours(72) },
    { from: autumn.getTime() - hours(72), to: autumn.getTime() + hours(72) },
    { from: Date.now() - hours(24 * 9), to: Date.now() },
  ]
  for (const { from, to } of spans)
    for (const bucket of ['hour', 'day', 'week', 'month', 'total'])
      for (const timeZone of [zone, 'UTC', 'America/New_York', 'Asia/Kolkata'])
        for (const breakdown of ['none', 'asset', 'chain', 'link']) {
          const isRecent = Date.now() - from < hours(24 * 35)
          if (timeZone !== zone && breakdown !== 'none' && !isRecent) continue
          const dates = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
          const { buckets, status } = await series({ ...dates, bucket, timeZone, breakdown })
          expect(status).toBe(200)
          expect({ bucket, timeZone, buckets: withoutTimes(buckets) }).toEqual({
            ...{ bucket, timeZone },
            buckets: buckets.map(({ start, end }) => ({ start, end, rows: rowsIn(history, breakdown, start, end) })),
          })
          expect(buckets.map(({ start, end }) => [start, end])).toEqual(
            boundsOf(new Date(from), new Date(to), bucket, timeZone),
          )
        }
}, 120_000)

type Transition = {
  readonly actor: string
  readonly at: Date
  readonly event: string
  readonly state: string
  readonly asset: string | null
  readonly chain: string | null
}
type Happened = {
  readonly what: string
  readonly at: Date
  readonly asset: string | null
  readonly chain: string | null
}
type PaymentStory = {
  readonly link: string
  readonly happened: readonly Happened[]
  readonly payMs: number | undefined
  readonly finalMs: number | undefined
}

/** What happened with each payment, from its history alone. */
const readStories = async (): Promise<readonly PaymentStory[]> => {
  const rows = await sql<(Transition & { link: string; once: boolean })[]>`
    select t.actor, t.at, t.event, t.to_state as state, json_of(t.context)->>'asset' as asset,
      json_of(t.context)->>'chainId' as chain, l.id as link, l.hidden or l.max_payments = 1 as once
    from transitions t join payments p on p.id = t.actor join payment_links l on l.id = p.payment_link_id
    where t.merchant_id = ${lamps.merchantId} order by t.actor, t.rev`
  return [...Map.groupBy(rows, ({ actor }) => actor).values()].flatMap(all => {
    const [first, last] = [all[0], all.at(-1)]
    if (!first || !last) return []
    const entering = (state: string) => all.filter((each, i) => each.state === state && all[i - 1]?.state !== state)
    const became = (what: string, state: string): Happened[] =>
      entering(state).map(({ at, asset, chain }) => ({ what, at, asset, chain }))
    const firstOf = (what: string, found: readonly Transition[]): Happened[] =>
      found.slice(0, 1).map(({ at, asset, chain }) => ({ what, at, asset, chain }))
    const [seen, success] = [entering('processing')[0], entering('success')[0]]
    const opening = { at: first.at, asset: last.asset, chain: last.chain }
    return {
      link: first.once ? 'single_use' : encodeId('plink', first.link),
      happened: [
        { what: 'opened', ...opening },
        ...(success ? [{ what: 'converted', ...opening }] : []),
        ...firstOf(
          'picked',
          all.filter(({ event }) => event === 'asset_picked'),
        ),
        ...firstOf('seen', entering('processing')),
        ...became('succeeded', 'success'),
        ...became('failed', 'failed'),
        ...became('expired', 'expired'),
        ...became('canceled', 'canceled'),
        ...firstOf(
          'late',
          all.filter(({ event }) => event.startsWith('late_')),
        ),
      ],
      payMs: seen && seen.at.getTime() - first.at.getTime(),
      finalMs: seen && success && success.at.getTime() - seen.at.getTime(),
    }
  })
}

const keyOf = (breakdown: string, link: string, { asset, chain }: Happened): string | null =>
  breakdown === 'none' ? null : breakdown === 'link' ? link : breakdown === 'asset' ? asset : chain

const counted = ['opened', 'picked', 'seen', 'succeeded', 'failed', 'expired', 'canceled', 'late'] as const

/** The rows of a bucket. All payments are of 10.00 USD. */
const rowsIn = (stories: readonly PaymentStory[], breakdown: string, start: string, end: string) => {
  const [from, to] = [new Date(start), new Date(end)]
  const here = stories.flatMap(({ link, happened }) =>
    happened.filter(({ at }) => at >= from && at < to).map(each => ({ ...each, key: keyOf(breakdown, link, each) })),
  )
  return [...Map.groupBy(here, ({ key }) => key)]
    .map(([key, of]): Row => {
      const count = (what: string) => of.filter(each => each.what === what).length
      const ended = count('succeeded') + count('failed') + count('expired')
      return {
        ...{ currency: 'USD', key, ...Object.fromEntries(counted.map(what => [what, count(what)])) },
        ...{ volumeMinor: count('succeeded') * 1_000, refundsCount: 0, refundedMinor: 0 },
        netMinor: count('succeeded') * 1_000,
        conversionBps: count('opened') === 0 ? null : Math.round((count('converted') / count('opened')) * 10_000),
        successRateBps: ended === 0 ? null : Math.round((count('succeeded') / ended) * 10_000),
      }
    })
    .toSorted((a, b) => (String(a.key ?? '~~') < String(b.key ?? '~~') ? -1 : 1))
}

const withoutTimes = (buckets: Series['buckets']) =>
  buckets.map(({ rows, ...bucket }) => ({
    ...bucket,
    rows: rows
      .map(({ payMs, finalMs, ...figures }) => figures)
      .toSorted((a, b) => (String(a.key ?? '~~') < String(b.key ?? '~~') ? -1 : 1)),
  }))

/** The quarter-hours of a span of time in groups of the same hour, day, week or month on the clocks of a time zone. */
const boundsOf = (from: Date, to: Date, bucket: string, timeZone: string): string[][] => {
  const quarter = hours(1) / 4
  const first = Math.floor(from.getTime() / quarter) * quarter
  const quarters = Array.from(
    { length: Math.ceil((to.getTime() - first) / quarter) },
    (_, i) => new Date(first + i * quarter),
  )
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'long', dateStyle: 'short' })
  const nameOf = (at: Date): string => {
    const day = dayIn(timeZone, at)
    // With the offset, because an hour occurs twice when the clocks are set back.
    if (bucket === 'hour') return clock.format(at).replace(/:\d\d:\d\d/, '')
    if (bucket === 'month') return day.slice(0, 7)
    if (bucket === 'total') return ''
    const weekday = (new Date(day).getUTCDay() + 6) % 7
    return bucket === 'day' ? day : new Date(Date.parse(day) - weekday * hours(24)).toISOString()
  }
  return [...Map.groupBy(quarters, nameOf).values()].map(group => [
    (group[0] ?? from).toISOString(),
    new Date((group.at(-1) ?? to).getTime() + quarter).toISOString(),
  ])
}

test('the times until a payment is seen and until it is final are right within a tenth', async () => {
  const stories = await readStories()
  const { totals } = await series({
    from: '2025-12-01',
    to: dayIn(zone, new Date(Date.now() + hours(24))),
    bucket: 'month',
  })
  for (const name of ['payMs', 'finalMs'] as const) {
    const all = stories.flatMap(story => story[name] ?? []).toSorted((a, b) => a - b)
    for (const [share, percentile] of [
      [0.5, 'p50'],
      [0.95, 'p95'],
    ] as const) {
      const times = totals[0]?.[name] as { readonly p50: number; readonly p95: number } | undefined
      const shown = times?.[percentile] ?? 0
      const exact = all[Math.ceil(all.length * share) - 1] ?? 0
      expect(Math.abs(shown - exact)).toBeLessThanOrEqual(exact * 0.1 + 1)
    }
  }
})

const allSums = () => sql`select * from payment_sums order by merchant_id, span, breakdown, starts_at, currency, key`

test('sums that are made again from the history are the same', async () => {
  const before = await allSums()
  expect(before.length).toBeGreaterThan(100)
  await rebuildPaymentSums(sql)
  expect(await allSums()).toEqual(before)
})

test('a time zone that has changed moves the payments to the days of the new one', async () => {
  const days = async () => {
    const { buckets, totals, timeZone } = await series({
      from: '2026-03-01',
      to: dayIn('UTC', new Date()),
      bucket: 'week',
    })
    return { timeZone, totals, rows: withoutTimes(buckets) }
  }
  const before = await days()
  const moved = 'Pacific/Auckland'
  await sql`update billing_settings set time_zone = ${moved} where merchant_id = ${lamps.merchantId}`
  // Until the days are counted anew, the answers are in the former zone, also when the sums are made again.
  expect(await days()).toEqual(before)
  await rebuildPaymentSums(sql)
  expect(await days()).toEqual(before)
  await readAll(100)
  const after = await days()
  expect(after.timeZone).toBe(moved)
  const history = await readStories()
  const { buckets } = await series({
    from: '2026-03-01',
    to: dayIn('UTC', new Date()),
    bucket: 'week',
    breakdown: 'asset',
  })
  expect(withoutTimes(buckets)).toEqual(
    buckets.map(({ start, end }) => ({ start, end, rows: rowsIn(history, 'asset', start, end) })),
  )
  const sums = await allSums()
  await rebuildPaymentSums(sql)
  expect(await allSums()).toEqual(sums)
})

test('an answer while the time zone changes has all days of the one that it names', async () => {
  const asked = { from: '2026-03-01', to: dayIn('UTC', new Date()), bucket: 'week' }
  const move = async (timeZone: string) => {
    await sql`update billing_settings set time_zone = ${timeZone} where merchant_id = ${lamps.merchantId}`
    await readAll(100)
  }
  const zones = ['Pacific/Auckland', 'America/Los_Angeles']
  const expected = new Map<string, Series['buckets']>()
  for (const timeZone of zones) {
    await move(timeZone)
    expected.set(timeZone, (await series(asked)).buckets)
  }
  expect(expected.get('Pacific/Auckland')).not.toEqual(expected.get('America/Los_Angeles'))
  let isDone = false
  const moving = (async () => {
    for (let n = 0; !isDone; n++) await move(zones[n % 2] ?? '')
  })()
  for (let n = 0; n < 200; n++) {
    const { timeZone, buckets } = await series(asked)
    expect(buckets).toEqual(expected.get(timeZone) ?? [])
  }
  isDone = true
  await moving
}, 60_000)

test('the name of the time zone is the same in lower case', async () => {
  const [settings] = await sql<{ zone: string }[]>`
    select sums_time_zone as zone from billing_settings where merchant_id = ${lamps.merchantId}`
  const long = { from: '2024-01-01', to: '2024-12-31', bucket: 'month' }
  const { status, timeZone } = await series({ ...long, timeZone: settings?.zone.toLowerCase() ?? '' })
  expect({ status, timeZone }).toEqual({ status: 200, timeZone: settings?.zone ?? '' })
})

test('the last 30 days with today are the default', async () => {
  const today = () => dayIn('UTC', new Date())
  const before = today()
  const { buckets } = await series({}, chairs)
  const days = buckets.map(({ start }) => start.slice(0, 10))
  expect([before, today()]).toContain(days.at(-1) ?? '')
  expect(days).toEqual(Array.from({ length: 30 }, (_, n) => addDays(days.at(-1) ?? '', n - 29)))
})

test('currencies are apart, and modes and merchants too', async () => {
  const here = { from: dayIn('UTC', new Date()), timeZone: 'UTC', bucket: 'hour' }
  expect((await series({ ...here, livemode: 'true' })).totals).toEqual([])
  expect((await series(here, chairs)).totals).toEqual([])
  const euros = { merchantId: chairs.merchantId, livemode: false }
  await makePayment(api, euros, 'success', { currency: 'EUR' })
  await makePayment(api, euros, 'success', { currency: 'USD' })
  await readAll(100)
  const both = await series(here, chairs)
  expect(both.totals.map(({ currency, volumeMinor }) => [currency, volumeMinor])).toEqual([
    ['EUR', 1_000],
    ['USD', 1_000],
  ])
  expect((await series({ ...here, currency: 'EUR' }, chairs)).totals).toEqual(both.totals.slice(0, 1))
  expect((await series({ from: '2026-01-01', to: '2026-01-03', currency: 'EUR' }, chairs)).buckets).toEqual([
    { start: '2026-01-01T00:00:00.000Z', end: '2026-01-02T00:00:00.000Z', rows: [] },
    { start: '2026-01-02T00:00:00.000Z', end: '2026-01-03T00:00:00.000Z', rows: [] },
  ])
})

test('the 50 links with the highest volume have their own figures, all others are together', async () => {
  const live = { merchantId: chairs.merchantId, livemode: true }
  const paid: string[] = []
  for (let i = 0; i < 53; i++) {
    const { linkId } = await makePayment(api, live, i < 51 ? 'success' : 'new')
    paid.push(linkId)
  }
  await makePayment(api, live, 'success', { maxPayments: 1 })
  await readAll(1_000)
  const { buckets, totals } = await series({ livemode: 'true', breakdown: 'link', bucket: 'month' }, chairs)
  const rows = buckets.flatMap(bucket => bucket.rows)
  expect(totals).toMatchObject([{ opened: 54, succeeded: 52 }])
  expect(new Set(rows.map(({ key }) => key)).size).toBe(51)
  expect(rows.find(({ key }) => key === 'other')).toMatchObject({ opened: 4, succeeded: 2, volumeMinor: 2_000 })
  expect(rows.filter(({ key }) => paid.includes(String(key))).length).toBeGreaterThanOrEqual(49)
  const rest = paid.find((id, i) => i < 51 && !rows.some(({ key }) => key === id)) ?? ''
  const asked = { livemode: 'true', breakdown: 'link', bucket: 'total', link: rest }
  const one = await series(asked, chairs)
  expect(one.buckets.map(bucket => bucket.rows)).toMatchObject([[{ key: rest, opened: 1, volumeMinor: 1_000 }]])
  expect(one.totals).toMatchObject([{ opened: 1, volumeMinor: 1_000 }])
  expect((await series(asked, lamps)).totals).toEqual([])
  // Less than all others, but in another currency.
  const { linkId } = await makePayment(api, live, 'new', { currency: 'EUR' })
  await readAll(1_000)
  const { buckets: both } = await series({ livemode: 'true', breakdown: 'link', bucket: 'month' }, chairs)
  expect(both.flatMap(bucket => bucket.rows).filter(({ currency }) => currency === 'EUR')).toMatchObject([
    { key: linkId, opened: 1, volumeMinor: 0 },
  ])
})

test('hours are kept for as long as they can be asked for, in every time zone', async () => {
  const [kept] = await sql<{ since: Date }[]>`select first_quarter() at time zone 'UTC' as since`
  const answers = await Promise.all(
    Array.from({ length: 27 }, async (_, n) => {
      const timeZone = `Etc/GMT${n < 13 ? '+' : '-'}${Math.abs(12 - n)}`
      const from = addDays(dayIn(timeZone, new Date()), -400)
      return series({ from, to: addDays(from, 1), bucket: 'hour', timeZone })
    }),
  )
  const begins = answers.flatMap(({ status, buckets }) => (status === 200 ? [Date.parse(buckets[0]?.start ?? '')] : []))
  expect(begins).toHaveLength(27)
  expect(Math.min(...begins)).toBeGreaterThanOrEqual(kept?.since.getTime() ?? 0)
})

test('assets and links of another time zone go back 35 days, and other figures of it 400', async () => {
  const timeZone = 'Asia/Tokyo'
  const statusOf = async (days: number, query: Readonly<Record<string, string>>) => {
    const from = addDays(dayIn(timeZone, new Date()), -days)
    return (await series({ from, to: addDays(from, 1), timeZone, ...query })).status
  }
  for (const breakdown of ['asset', 'chain', 'link'])
    expect([await statusOf(35, { breakdown }), await statusOf(36, { breakdown })]).toEqual([200, 400])
  expect([await statusOf(36, {}), await statusOf(400, {}), await statusOf(401, {})]).toEqual([200, 200, 400])
})

test.each([
  [{ from: '2026-02-30' }, 'from'],
  [{ from: 'yesterday' }, 'from'],
  [{ to: '2026-01-01T00:00:00' }, 'to'],
  [{ from: '2026-02-01', to: '2026-02-01' }, 'to'],
  [{ from: '9998-01-01' }, 'from'],
  [{ from: '9999-01-01', to: '9999-01-02' }, 'from'],
  [{ to: '9999-12-31T23:30:00Z' }, 'to'],
  [{ from: '0000-01-01', to: '0000-01-02' }, 'from'],
  [{ from: '1969-12-31T23:59:59Z' }, 'from'],
  [{ from: '2020-01-01', to: '2026-01-01' }, 'bucket'],
  [{ from: '2026-01-01', to: '2026-02-01', bucket: 'hour' }, 'bucket'],
  [{ from: '2020-01-01', to: '2020-01-02', bucket: 'hour' }, 'from'],
  [{ from: '2020-01-01', to: '2020-01-02', timeZone: 'Asia/Tokyo' }, 'from'],
  [{ from: '2020-01-01T12:00:00Z', to: '2020-01-03' }, 'from'],
  [{ from: '2020-01-01', to: '2020-01-02T12:00:00Z' }, 'to'],
  [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
  [{ timeZone: '+02:00' }, 'timeZone'],
  [{ bucket: 'minute' }, 'bucket'],
  [{ breakdown: 'customer' }, 'breakdown'],
  [{ currency: 'eur' }, 'currency'],
  [{ breakdown: 'link', link: 'plink_1' }, 'link'],
  [{ link: encodeId('plink', newId()) }, 'link'],
  [{ interval: 'day' }, 'interval'],
])('%j is refused with the parameter %s', async (query, param) => {
  const { status, error } = await series(query as Readonly<Record<string, string>>)
  expect({ status, param: error?.param }).toEqual({ status: 400, param })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { addDays } from '../../../src/billing/days.ts'
import { changeText, daysText } from '../../../src/web/dashboard/analytics/changes.ts'
import { analyticsEn as texts } from '../../../src/web/text/dashboard/analytics/en.ts'
import { formatsOf } from '../../../src/web/text/format.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { axeFaults } from '../pay/gates.ts'
import { type FiguresShop, figuresShop, longDay, shortDay, soldOn, today, totalOf, zone } from './figures-shop.ts'
import { onPage } from './harness.ts'
import { focused, tabToPart } from './tab-walk.ts'

let shop: FiguresShop
const formats = formatsOf('en', zone)

beforeAll(async () => {
  if (hasBrowser) shop = await figuresShop()
}, 120_000)
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

const on = onPage(() => shop.page)
const open = async (path: string) => {
  await shop.go(path, 'live')
  await shop.page.locator('main h1').waitFor()
}
const figure = (name: string) =>
  shop.page.locator('.figures > div').filter({ has: shop.page.getByText(name, { exact: true }) })
const linesOf = (name: string) => figure(name).locator('dd').allTextContents()
const query = () => new URL(shop.page.url()).searchParams
const chart = (name: string) => shop.page.getByRole('slider', { name }).first()
const readValue = async (name: string) => chart(name).getAttribute('aria-valuetext')
const pick = (label: string, value: string) => shop.page.getByLabel(label, { exact: true }).selectOption(value)
/** The head is not seen where rows are cards. */
const cellsOf = async (label: string) => {
  const rows = await shop.page.getByRole('table', { name: label, exact: true }).locator('tbody tr').all()
  return Promise.all(rows.map(row => row.getByRole('cell').allTextContents()))
}
/** The name and the text of the file that a button makes. */
const saved = async (label: string) => {
  const [download] = await Promise.all([
    shop.page.waitForEvent('download'),
    shop.page.getByRole('button', { name: `CSV: ${label}`, exact: true }).click(),
  ])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

const last = (days: number) => ({ from: addDays(today, 1 - days), to: addDays(today, 1) })
const preceding = (days: number) => ({ from: addDays(today, 1 - 2 * days), to: addDays(today, 1 - days) })
const money = (minor: number, currency = 'EUR') => formats.money(minor, currency)

const dayName = (day: string) =>
  new Intl.DateTimeFormat('en', {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  }).format(new Date(day))

describe.skipIf(!hasBrowser)('the first page of a shop', () => {
  test('shows the figures of the API, and how they have changed', async () => {
    const [now, before] = await Promise.all([shop.series(last(30)), shop.series(preceding(30))])
    const [is, was] = [totalOf(now.totals, 'EUR'), totalOf(before.totals, 'EUR')]
    await open('home')
    await figure(texts.moneyIn).waitFor()
    const change = (key: 'volumeMinor' | 'succeeded' | 'netMinor') =>
      changeText(is[key], was[key], texts.change, formats)
    expect(is.volumeMinor).toBeGreaterThan(180_000)
    // The period before comes with a request of its own.
    await until(async () => (await linesOf(texts.moneyIn)).includes(change('volumeMinor')))
    expect(await linesOf(texts.moneyIn)).toEqual([money(is.volumeMinor), change('volumeMinor')])
    expect(await linesOf(texts.paidPayments)).toEqual([String(is.succeeded), change('succeeded')])
    expect(await linesOf(texts.net)).toEqual([money(is.netMinor), change('netMinor')])
    expect((await linesOf(texts.conversion))[0]).toBe(formats.share((is.conversionBps ?? 0) / 10_000))
    await shop.page.getByText(/As of \w+\s\d+,\s\d{4},\s\d+:\d\d:\d\d/).waitFor()
    const days = preceding(30)
    const compared = texts.comparedWith(daysText(last(30), 'en'), daysText(days, 'en'))
    await shop.page.getByText(compared.trim()).waitFor()
    await on.expectSound()
  })

  test('names the figures that it shows while those of another period are on their way', async () => {
    const { page } = shop
    await open('home')
    await figure(texts.moneyIn).waitFor()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/analytics/series*', async route => {
      await held
      await route.continue()
    })
    await pick(texts.period, '7d')
    await page.locator('.period[aria-busy=true]').waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toContain('Last 30 days')
    release()
    await page.getByRole('heading', { name: 'Last 7 days' }).waitFor()
    await page.unroute('**/analytics/series*')
  })

  test('compares this month with the same days of the one before', async () => {
    const { page } = shop
    await open('home')
    await pick(texts.period, 'month')
    await page.getByRole('heading', { name: 'This month' }).waitFor()
    const first = `${today.slice(0, 8)}01`
    const before = `${addDays(first, -1).slice(0, 8)}01`
    const { totals } = await shop.series({ from: first, to: addDays(today, 1) })
    await figure(texts.moneyIn)
      .getByText(money(totalOf(totals, 'EUR').volumeMinor), { exact: true })
      .waitFor()
    await page.getByText(`compared with ${formats.day(before).split(' ')[0]} 1`).waitFor()
  })

  test('has the range and the comparison in its address, which a step back restores', async () => {
    const { page } = shop
    await open('home')
    await pick(texts.period, '7d')
    await on.heading('Home')
    await page.getByRole('heading', { name: 'Last 7 days' }).waitFor()
    await page.getByRole('button', { name: texts.compare }).click()
    await page.locator('.chart__names').waitFor()
    expect([query().get('range'), query().get('compare')]).toEqual(['7d', 'true'])
    const { totals } = await shop.series(last(7))
    const week = money(totalOf(totals, 'EUR').volumeMinor)
    await figure(texts.moneyIn).getByText(week, { exact: true }).waitFor()
    await page.reload()
    await figure(texts.moneyIn).getByText(week, { exact: true }).waitFor()
    await page.locator('.chart__names').waitFor()
    await page.goBack()
    await page.locator('.chart__names').waitFor({ state: 'detached' })
    expect(query().get('range')).toBe('7d')
    // The period is compared with the one before it, day by day.
    await open('home?compare=true')
    await chart(texts.moneyIn).focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    const [now, before] = await Promise.all([shop.series(last(30)), shop.series(preceding(30))])
    const sum = (series: typeof now, n: number) =>
      series.buckets.at(n)?.rows.find(({ currency }) => currency === 'EUR')?.volumeMinor ?? 0
    expect((await readValue(texts.moneyIn))?.replace(/^[^:]*/, '')).toBe(
      `: ${money(sum(now, -3))}, Before: ${money(sum(before, -3))}`,
    )
    await page.keyboard.press('ArrowRight')
    expect(await readValue(texts.moneyIn)).toContain(`: ${money(131_100)}, Before: `)
  })

  test('a period between two days of one’s own starts with the one that is shown', async () => {
    const { page } = shop
    await open('home?range=7d')
    await figure(texts.moneyIn).waitFor()
    await pick(texts.period, 'custom')
    await page.waitForURL(/from=/)
    expect([query().get('from'), query().get('to')]).toEqual([addDays(today, -6), today])
    await page.getByLabel(texts.from, { exact: true }).fill(addDays(today, -40))
    await page.waitForURL(new RegExp(`from=${addDays(today, -40)}`))
    const { totals } = await shop.series({ from: addDays(today, -40), to: addDays(today, 1) })
    await figure(texts.moneyIn)
      .getByText(money(totalOf(totals, 'EUR').volumeMinor), { exact: true })
      .waitFor()
    await page.getByLabel(texts.to, { exact: true }).fill(addDays(today, -41))
    await page.getByText(texts.limits.order.title).waitFor()
    await on.click(texts.limits.order.action, 'link')
    await page.getByRole('heading', { name: 'Last 30 days' }).waitFor()
  })

  test('shows one currency at a time', async () => {
    const { totals } = await shop.series(last(30))
    await open('home')
    await figure(texts.moneyIn)
      .getByText(money(totalOf(totals, 'EUR').volumeMinor), { exact: true })
      .waitFor()
    await pick(texts.currency, 'USD')
    await figure(texts.moneyIn).getByText('$999.00', { exact: true }).waitFor()
    expect(query().get('currency')).toBe('USD')
    expect(await linesOf(texts.moneyIn)).toEqual(['$999.00', texts.change.nothingBefore])
    await chart(texts.moneyIn).focus()
    for (let n = 0; n < 4; n++) await shop.page.keyboard.press('ArrowLeft')
    expect(await readValue(texts.moneyIn)).toEndWith(': $999.00')
  })

  test('keeps what it shows, and its height, while other figures are on their way', async () => {
    const { page } = shop
    await open('home')
    await chart(texts.moneyIn).waitFor()
    const topOf = async () => (await page.getByRole('heading', { name: 'Latest payments' }).boundingBox())?.y
    const before = await topOf()
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await page.route('**/analytics/series*', async route => {
      asked.resolve()
      await gate.promise
      await route.fallback()
    })
    await pick(texts.period, '7d')
    await asked.promise
    await page.locator('.period[aria-busy=true]').waitFor()
    expect([await chart(texts.moneyIn).isVisible(), await topOf()]).toEqual([true, before])
    gate.resolve()
    await page.locator('.period[aria-busy=true]').waitFor({ state: 'detached' })
    expect([await chart(texts.moneyIn).getAttribute('aria-valuemax'), await topOf()]).toEqual(['7', before])
    await page.unroute('**/analytics/series*')
  })

  test('a failure of the figures says so with the ID of the request, and leaves the other parts', async () => {
    const { page } = shop
    const requestId = '019abc00-5d00-7c3e-9a51-1f2f5fd7b0aa'
    await page.route('**/analytics/**', route =>
      route.fulfill({ status: 503, json: { error: { code: 'service_unavailable', message: '', requestId } } }),
    )
    await open('home')
    const alert = page.getByRole('alert')
    await alert.waitFor({ timeout: 20_000 })
    await alert.getByRole('button', { name: 'Copy Request ID' }).waitFor()
    await page.getByRole('heading', { name: 'Latest payments' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.unroute('**/analytics/**')
    await alert.getByRole('button', { name: 'Try again' }).click()
    await figure(texts.moneyIn).waitFor()
  })
})

describe.skipIf(!hasBrowser)('a failure', () => {
  test('stays on the first page, with the focus, while it is asked again', async () => {
    const { served } = shop
    await using visit = await served.visit()
    const { page, asked } = visit
    await visit.context.addCookies(await shop.visit.context.cookies())
    await page.clock.install()
    let isHeld = false
    const error = { code: 'service_unavailable', message: '', requestId: 'req_1' }
    await page.route('**/analytics/**', route => (isHeld ? undefined : route.fulfill({ status: 503, json: { error } })))
    await page.goto(`${served.server.url}/dashboard/${shop.merchant}/live/home`)
    const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' })
    await retry.waitFor({ timeout: 20_000 })
    await retry.focus()
    isHeld = true
    const count = () => asked.filter(each => each.includes('/analytics/')).length
    const before = count()
    await page.clock.runFor(30_000)
    await until(async () => count() > before)
    await page.clock.runFor(1_000)
    expect((await focused(page))?.name).toBe('Try again')
    expect(await page.getByRole('heading', { name: 'Latest payments' }).count()).toBe(1)
  })
})

describe.skipIf(!hasBrowser)('analytics', () => {
  test('a chart is a table at the press of a button, and a file of what is shown', async () => {
    const { page } = shop
    await open('analytics?range=7d&compare=true')
    await chart(texts.moneyIn).waitFor()
    await page.getByRole('button', { name: `${texts.asTable}: ${texts.moneyIn}`, exact: true }).focus()
    await page.keyboard.press('Enter')
    const [now, before] = await Promise.all([shop.series(last(7)), shop.series(preceding(7))])
    const inEuro = ({ rows }: { readonly rows: (typeof now.buckets)[number]['rows'] }) =>
      rows.find(({ currency }) => currency === 'EUR')
    const days = now.buckets.map((bucket, n) => {
      const [is, was] = [inEuro(bucket), inEuro(before.buckets[n] ?? { rows: [] })]
      return { is, was, day: addDays(today, n - 6) }
    })
    const table = await cellsOf(texts.moneyIn)
    expect(table.map(cells => cells.slice(1))).toEqual(
      days
        .toReversed()
        .map(({ is, was }) => [
          money(is?.volumeMinor ?? 0),
          money(was?.volumeMinor ?? 0),
          String(is?.opened ?? 0),
          String(is?.succeeded ?? 0),
          is?.conversionBps == null ? '–' : formats.share(is.conversionBps / 10_000),
        ]),
    )
    expect(await chart(texts.moneyIn).count()).toBe(0)
    expect(query().get('tables')).toBe('money-in')
    const { name, text } = await saved(texts.moneyIn)
    expect(name).toBe(`money-in-EUR-${addDays(today, -6)}-to-${today}.csv`)
    const amount = (minor = 0) => (minor / 100).toFixed(2)
    expect(text).toBe(
      [
        'Day,Money in (EUR),Before (EUR),Opened,Paid,Conversion (%)',
        ...days.map(({ is, was, day }) =>
          [
            ...[day, amount(is?.volumeMinor), amount(was?.volumeMinor), is?.opened ?? 0, is?.succeeded ?? 0],
            is?.conversionBps == null ? '' : amount(is.conversionBps),
          ].join(','),
        ),
        '',
      ].join('\r\n'),
    )
    expect(text).toContain('1311.00')
    await page.getByRole('button', { name: `${texts.asTable}: ${texts.moneyIn}`, exact: true, pressed: true }).click()
    await chart(texts.moneyIn).waitFor()
  })

  test('a chart of the first page is read as a table and saved with the keyboard alone', async () => {
    const { page } = shop
    await open('home?range=7d')
    await chart(texts.moneyIn).waitFor()
    await tabToPart(page, texts.compare)
    await tabToPart(page, `${texts.asTable}: ${texts.moneyIn}`)
    await page.keyboard.press('Space')
    await page.getByRole('table', { name: texts.moneyIn }).waitFor()
    expect(await focused(page)).toMatchObject({ name: `${texts.asTable}: ${texts.moneyIn}`, isSeen: true })
    expect(await page.getByText(texts.partial.bars).count()).toBe(0)
    await tabToPart(page, `CSV: ${texts.moneyIn}`)
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    expect(lines.slice(1).map(line => line.slice(0, 10))).toEqual(
      Array.from({ length: 7 }, (_, n) => addDays(today, n - 6)),
    )
    await tabToPart(page, `${texts.asTable}: ${texts.moneyIn}`, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await chart(texts.moneyIn).waitFor()
    await tabToPart(page, `${texts.moneyIn}, ${texts.by.day}`)
    await page.keyboard.press('End')
    expect(await readValue(texts.moneyIn)).toStartWith(dayName(today))
    await page.getByText(texts.partial.bars).waitFor()
    // A period that is over has nothing that is outlined.
    await open(`home?range=custom&from=${addDays(today, -8)}&to=${addDays(today, -2)}`)
    await chart(texts.moneyIn).waitFor()
    expect(await page.getByText(texts.partial.bars).count()).toBe(0)
  })

  test('the way from opened to paid, and its times, are those of the API', async () => {
    const { totals } = await shop.series(last(30))
    const { opened, picked, seen, succeeded, payMs, finalMs } = totalOf(totals, 'EUR')
    await open('analytics?tables=funnel')
    await shop.page.getByRole('table', { name: texts.funnel }).waitFor()
    const share = (count: number) => formats.share(Math.round((count * 10_000) / opened) / 10_000)
    expect(await cellsOf(texts.funnel)).toEqual([
      [texts.opened, String(opened), share(opened)],
      [texts.picked, String(picked), share(picked)],
      [texts.seen, String(seen), share(seen)],
      [texts.paid, String(succeeded), share(succeeded)],
    ])
    expect((await saved(texts.funnel)).text.split('\r\n')[4]).toBe(
      `Paid,${succeeded},${(Math.round((succeeded * 10_000) / opened) / 100).toFixed(2)}`,
    )
    // One transition every minute: it is seen after two, and final a minute later, within 10 percent.
    expect([payMs?.p50, finalMs?.p50].map(ms => Math.round((ms ?? 0) / 60_000))).toEqual([2, 1])
    for (const [title, half] of [
      [texts.payTime, payMs?.p50],
      [texts.finalTime, finalMs?.p50],
    ] as const) {
      const minutes = new Intl.NumberFormat('en', {
        ...{ style: 'unit', unit: (half ?? 0) < 60_000 ? 'second' : 'minute', unitDisplay: 'short' },
        ...((half ?? 0) < 60_000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 2 }),
      }).format((half ?? 0) / ((half ?? 0) < 60_000 ? 1_000 : 60_000))
      await shop.page.getByRole('region', { name: title }).getByText(minutes, { exact: true }).waitFor()
    }
  })

  test('money in by asset, network and link adds up to all of it', async () => {
    const { page } = shop
    const { totals, buckets } = await shop.series({ ...last(30), breakdown: 'link', currency: 'EUR', bucket: 'month' })
    const { volumeMinor } = totalOf(totals, 'EUR')
    await open('analytics?tables=by')
    await page.getByRole('table', { name: texts.breakdowns.asset }).waitFor()
    const assets = await cellsOf(texts.breakdowns.asset)
    expect(assets.map(([name, sum]) => [name, sum])).toEqual([['TUSD', money(volumeMinor)]])
    const whole = await shop.series({ ...last(30), breakdown: 'asset', currency: 'EUR', bucket: 'total' })
    const { payMs, finalMs } = whole.buckets[0]?.rows.find(({ key }) => key === 'TUSD') ?? {}
    const times = [payMs?.p50, payMs?.p95, finalMs?.p50, finalMs?.p95]
    expect(times.map(ms => Math.round((ms ?? 0) / 60_000))).toEqual([2, 2, 1, 1])
    const [head, first] = (await saved(texts.breakdowns.asset)).text.split('\r\n')
    const { payMs: untilSeen, finalMs: untilFinal } = texts.keyTimes
    const names = [untilSeen.p50, untilSeen.p95, untilFinal.p50, untilFinal.p95].map(name => `"${name} (ms)"`)
    expect(head).toEndWith(`,${names.join(',')}`)
    expect(first).toEndWith(`,${times.join(',')}`)
    expect(assets[0]?.length).toBe(7)
    await pick(texts.breakdown, 'chain')
    await page.getByRole('table', { name: texts.breakdowns.chain }).waitFor()
    expect((await cellsOf(texts.breakdowns.chain))[0]?.[1]).toBe(money(volumeMinor))
    await pick(texts.breakdown, 'link')
    await page.getByRole('table', { name: texts.breakdowns.link }).waitFor()
    expect(query().get('by')).toBe('link')
    const links = await cellsOf(texts.breakdowns.link)
    const sums = buckets.flatMap(({ rows }) => rows.map(row => row.volumeMinor)).sort((a, b) => b - a)
    expect(links.map(([, sum]) => sum)).toEqual(sums.map(sum => money(sum)))
    expect(links[0]?.[1]).toBe(money(123_450))
    const { name, text } = await saved(texts.breakdowns.link)
    expect(name).toBe(`money-in-by-link-EUR-${addDays(today, -29)}-to-${today}.csv`)
    expect(text.split('\r\n')).toHaveLength(links.length + 2)
    await page.getByRole('cell').getByRole('link').first().click()
    await page.waitForURL(/\/links\/plink_/)
  })

  test('a day on which clocks change is labeled as it is, and so are its hours', async () => {
    const { page } = shop
    const day = longDay()
    await open(`analytics?range=custom&from=${addDays(day, -1)}&to=${addDays(day, 1)}&bucket=day&tables=money-in`)
    await page.getByRole('table', { name: texts.moneyIn }).waitFor()
    expect((await cellsOf(texts.moneyIn)).map(([name, sum]) => [name, sum])).toEqual([
      [dayName(addDays(day, 1)), money(soldOn(addDays(day, 1)))],
      [`${dayName(day)} (25 hours)`, money(soldOn(day))],
      [dayName(addDays(day, -1)), money(soldOn(addDays(day, -1)))],
    ])
    await open(`analytics?range=custom&from=${day}&to=${day}&bucket=hour&tables=money-in`)
    await page.getByRole('table', { name: texts.moneyIn }).waitFor()
    const hours = (await cellsOf(texts.moneyIn)).map(([name = '']) => name.replace(/\s/g, ' ').replace(/^.*, /, ''))
    expect(hours).toHaveLength(25)
    expect(hours.slice(-4)).toEqual(['2:00 AM GMT+1', '2:00 AM GMT+2', '1:00 AM GMT+2', '12:00 AM GMT+2'])
  })

  test.each([
    [23, shortDay(), '3:00 AM GMT+2'],
    [25, longDay(), '2:00 AM GMT+2'],
  ])('a day of %d hours is one bar with its length, and has a bar for each of its hours', async (hours, day, third) => {
    const { page } = shop
    await open(`home?range=custom&from=${addDays(day, -1)}&to=${addDays(day, 1)}`)
    await chart(texts.moneyIn).focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    expect(await readValue(texts.moneyIn)).toContain(`(${hours} hours): ${money(soldOn(day))}`)
    await open(`analytics?range=custom&from=${day}&to=${day}&bucket=hour`)
    expect(await chart(texts.moneyIn).getAttribute('aria-valuemax')).toBe(String(hours))
    await chart(texts.moneyIn).focus()
    await page.keyboard.press('Home')
    for (let n = 0; n < 2; n++) await page.keyboard.press('ArrowRight')
    expect((await readValue(texts.moneyIn))?.replace(/\s/g, ' ')).toContain(`, ${third}: `)
  })

  test.each(['home', 'analytics'])('nothing moves on %s while its answers arrive one after the other', async path => {
    const { served, visit } = shop
    const page = await visit.context.newPage()
    await page.addInitScript(`globalThis.shifts = []
      new PerformanceObserver(list => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shifts.push(value)
      }).observe({ type: 'layout-shift', buffered: true })`)
    let late = 0
    await page.route(/\/v1\/merchants\/[^/]+\/(?!stream)/, async route => {
      await Bun.sleep(300 + 200 * (late++ % 5))
      await route.continue()
    })
    await page.goto(`${served.server.url}/dashboard/${shop.merchant}/live/${path}`)
    await page.getByRole('slider', { name: texts.moneyIn }).first().waitFor()
    await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' })
    const shifts = await page.evaluate<number[]>('globalThis.shifts')
    await page.close()
    expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(0.02)
  })

  test('what is beyond a limit is explained, with a way out', async () => {
    const { page } = shop
    await open('analytics?range=90d&bucket=hour')
    await page.getByText(texts.limits.buckets.title).waitFor()
    await on.click(texts.limits.buckets.action, 'link')
    await chart(texts.moneyIn).waitFor()
    expect([query().get('range'), query().get('bucket')]).toEqual(['90d', null])

    await open('analytics?range=90d&timeZone=Asia/Tokyo')
    await chart(texts.moneyIn).waitFor()
    await page.getByText('in the time zone Asia/Tokyo').waitFor()
    await page.getByText(texts.limits.other_zone_keys.title).waitFor()
    expect(await page.getByText(texts.noTimes).count()).toBe(2)
    await on.expectSound()
    await on.click(texts.limits.other_zone_keys.action, 'link')
    await page.getByText(texts.limits.other_zone_keys.title).waitFor({ state: 'detached' })
    expect(query().get('timeZone')).toBe(null)
    // Within 35 days there is all of it.
    await open('analytics?range=7d&timeZone=Asia/Tokyo&tables=by')
    await page.getByRole('table', { name: texts.breakdowns.asset }).waitFor()
    expect(await page.getByText(texts.noTimes).count()).toBe(0)
    await open('analytics?range=custom&from=2020-01-01&to=2021-12-31&timeZone=Asia/Tokyo')
    await page.getByText(texts.limits.other_zone.title).waitFor()
    await open('analytics?range=custom&from=2020-01-01&to=2020-01-02&bucket=hour')
    await page.getByText(texts.limits.hours.title).waitFor()
  })

  test('a time zone that is not applied yet is named', async () => {
    const { page } = shop
    await page.route('**/settings/billing*', async route => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), timeZone: 'Asia/Tokyo' } })
    })
    await open('analytics')
    await page.getByText(texts.rebuildingWhat(zone, 'Asia/Tokyo')).waitFor()
    await page.unroute('**/settings/billing*')
    await page.reload()
    await chart(texts.moneyIn).waitFor()
    expect(await page.getByText(texts.rebuilding).count()).toBe(0)
  })

  test('a period without payments says what to do, in test mode too', async () => {
    const { page } = shop
    await open('analytics?range=custom&from=2020-01-01&to=2020-01-31')
    await page.getByRole('heading', { name: texts.nothing }).waitFor()
    await shop.go('analytics')
    await page.getByRole('heading', { name: texts.nothing }).waitFor()
    await on.expectSound()
  })

  test('viewers read it; nothing is offered that they may not do', async () => {
    const { page, api, sql } = shop
    const setRole = async (role: string) => {
      await sql`update members set role = ${role}`
      const [row] = await sql`select id from accounts where email = 'anna@lamps.example'`
      api.sessions.forgetAccount(String(row?.id))
    }
    await setRole('viewer')
    await open('analytics')
    await chart(texts.moneyIn).waitFor()
    await open('analytics?range=custom&from=2020-01-01&to=2020-01-31')
    await page.getByRole('heading', { name: texts.nothing }).waitFor()
    expect(await page.getByRole('link', { name: texts.newLink }).count()).toBe(0)
    await on.click(texts.ranges['12m'], 'link')
    await chart(texts.moneyIn).waitFor()
    await setRole('owner')
  })

  test('is accessible in both themes, and laid out in wide and narrow windows', async () => {
    const { page } = shop
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await open('analytics?compare=true&by=link')
      await chart(texts.moneyIn).waitFor()
      await chart(texts.moneyIn).focus()
      await on.expectSound()
      await open('home?compare=true&tables=money-in')
      await page.getByRole('table', { name: texts.moneyIn }).waitFor()
      await on.expectSound()
    }
  })

  test('is read again every 30 seconds, and no change of a payment makes that more often', async () => {
    const { served } = shop
    await using visit = await served.visit()
    await visit.context.addCookies(await shop.visit.context.cookies())
    await visit.page.clock.install()
    await visit.page.goto(`${served.server.url}/dashboard/${shop.merchant}/test/analytics`)
    await visit.page.getByRole('heading', { name: texts.nothing }).waitFor()
    const asked = () => visit.asked.filter(each => each.includes('/analytics/summary')).length
    const before = asked()
    await shop.pay()
    // Its clock also goes on by itself.
    await visit.page.clock.runFor(15_000)
    expect(asked()).toBe(before)
    await visit.page.clock.runFor(15_000)
    await until(async () => asked() > before)
  })

  test('is printed without its controls, in light colors', async () => {
    const { page } = shop
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await open('analytics')
    await chart(texts.moneyIn).waitFor()
    expect(await page.getByRole('button', { name: `CSV: ${texts.moneyIn}` }).isVisible()).toBe(false)
    expect(await page.locator('.filters').isVisible()).toBe(false)
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('light')
    await page.emulateMedia({ media: null, colorScheme: null })
  })
})

describe.skipIf(!hasBrowser)('small charts', () => {
  test('of a link, its money by month', async () => {
    const { page } = shop
    const { buckets } = await shop.series({ ...last(30), breakdown: 'link', currency: 'EUR', bucket: 'month' })
    const row = buckets.flatMap(({ rows }) => rows).find(({ volumeMinor }) => volumeMinor === 123_450)
    await open(`links/${row?.key}`)
    await chart(texts.ofLink).waitFor()
    await page.getByRole('button', { name: `${texts.asTable}: ${texts.ofLink}` }).click()
    await page.getByRole('table', { name: texts.ofLink }).waitFor()
    const sums = (await cellsOf(texts.ofLink)).map(([, sum]) => sum)
    expect(sums.filter(sum => sum !== money(0))).toEqual([money(123_450)])
    expect(sums.length).toBeGreaterThanOrEqual(11)
    await on.expectSound()
  })

  test('of a customer, the successful payments by month', async () => {
    const { page } = shop
    await shop.payAndWait()
    const { data } = await shop.call('GET', `/v1/merchants/${shop.merchant}/customers?livemode=false`)
    const payments = await shop.call(
      ...([
        'GET',
        `/v1/merchants/${shop.merchant}/payments?livemode=false&status=success&customerId=${data[0].id}`,
      ] as const),
    )
    await until(async () => {
      const { totals } = await shop.call('GET', `/v1/merchants/${shop.merchant}/customers/${data[0].id}`)
      return totals.length > 0
    })
    await shop.go(`customers/${data[0].id}`)
    await chart(texts.moneyIn).focus()
    const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(new Date())
    expect(await readValue(texts.moneyIn)).toBe(`${month}: ${money(1_000 * payments.data.length, 'USD')}`)
    await on.expectSound()
    expect(await page.getByRole('region', { name: 'Paid by month' }).count()).toBe(1)
  })
})

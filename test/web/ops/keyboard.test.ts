import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from '../dashboard/harness.ts'
import { type SandboxShop, sandboxShop } from '../dashboard/sandbox-shop.ts'
import { focused, tabToPart, walkDialog, walkPage } from '../dashboard/tab-walk.ts'

let shop: SandboxShop

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  await shop.served.server.sql`update accounts set operator = true`
}, 120_000)
afterAll(() => shop?.[Symbol.asyncDispose]())

/** The sections in the order of the navigation: the link is the heading. */
const sections = ['Machines', 'Tail', 'Stuck', 'Chains', 'Queues', 'Workers', 'Audit']

const content = () => shop.page.locator('main [aria-busy=true], main .skeleton').first().waitFor({ state: 'detached' })

const newLink = async (more: object = {}): Promise<string> => {
  const body = { amountMinor: 1000, currency: 'USD', ...more }
  return (await shop.call('POST', `/v1/merchants/${shop.merchant}/payment-links`, body)).id
}

/** Pages read again every five seconds, and parts that appear meanwhile would count as missed. */
const walk = async () => {
  await content()
  await walkPage(shop.page)
}

describe.skipIf(!hasBrowser)('with the keyboard alone', () => {
  test('every page for operators is opened from the navigation, and everything on it is reached and seen', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    await page.goto(`${served.server.url}/ops`)
    await heading('Health')
    await walk()
    for (const section of sections) {
      await tabToPart(page, section)
      await page.keyboard.press('Enter')
      await heading(section)
      expect(await page.evaluate<string>('document.activeElement?.tagName')).toBe('H1')
      await walk()
    }
  })

  test('an actor is found by /, and a revision of its history is opened with Enter', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    const id = await shop.pay()
    await page.goto(`${served.server.url}/ops`)
    await heading('Health')
    await content()
    await page.keyboard.press('/')
    await page.keyboard.type(id)
    await page.keyboard.press('Enter')
    await heading(id)
    await walk()
    await tabToPart(page, /create$/)
    await page.keyboard.press('Enter')
    await until(() => new URL(page.url()).searchParams.get('rev') === '1')
    await walk()
  })

  test('what an event would do is asked, and the event sent, in a dialog that keeps the focus', async () => {
    const { page, served } = shop
    const { heading, toast } = onPage(page)
    const id = await newLink()
    await page.goto(`${served.server.url}/ops/actors/${id}`)
    await heading(id)
    await content()
    await tabToPart(page, 'Event')
    await page.keyboard.type('deactivate')
    await tabToPart(page, 'Preview')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'What deactivate would do' }).getByText('active → deactivated').waitFor()
    await tabToPart(page, 'Send deactivate', 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.locator('dialog .facts').waitFor()
    await walkDialog(page, 'Send deactivate')
    await page.keyboard.press('Enter')
    await page.locator('dialog .facts').waitFor()
    await page.keyboard.type('The shop has asked for it')
    await tabToPart(page, 'Send deactivate')
    await page.keyboard.press('Enter')
    await toast('deactivate was sent. The state is deactivated.')
  })

  test('the revisions are stepped through and scrubbed, and the page can be left in between', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    const id = await shop.payAndWait()
    await page.goto(`${served.server.url}/ops/actors/${id}?rev=1`)
    await heading(id)
    const revOf = () => new URL(page.url()).searchParams.get('rev')
    await tabToPart(page, 'One revision on')
    await page.keyboard.press('Enter')
    await until(() => revOf() === '2')
    await tabToPart(page, 'Revision', 'Shift+Tab')
    await page.keyboard.press('ArrowRight')
    await until(() => revOf() === '3')
    await page.keyboard.press('Home')
    await until(() => revOf() === '1')
    expect(await focused(page)).toMatchObject({ name: 'Revision', isSeen: true })
  })

  test('found actors are gone through with j and k, and opened with Enter', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    const reference = `order ${crypto.randomUUID()}`
    const link = await newLink({ reference })
    const opened = await served.server.call('POST', `/v1/checkout/links/${link}/payments`, {
      json: { customerEmail: 'ada@example.com' },
    })
    const ids = [link, String(Object(opened.json).payment.id)]
    await page.goto(`${served.server.url}/ops`)
    await heading('Health')
    await page.keyboard.press('/')
    await page.keyboard.type(reference)
    await page.keyboard.press('Enter')
    await heading('Search')
    await page.locator('.table tbody tr').nth(1).waitFor()
    await walk()
    await page.keyboard.press('j')
    const first = (await focused(page))?.name
    await page.keyboard.press('j')
    const second = (await focused(page))?.name
    expect([first, second].toSorted()).toEqual(ids.toSorted())
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await heading(first ?? '')
  })

  test('the tail is filtered and paused', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    await newLink()
    await page.goto(`${served.server.url}/ops/tail`)
    await heading('Tail')
    await content()
    await tabToPart(page, 'Machine')
    await page.keyboard.type('Payment links')
    await until(() => new URL(page.url()).searchParams.get('kind') === 'payment_link')
    expect(await focused(page)).toMatchObject({ name: 'Machine', isSeen: true })
    await tabToPart(page, /^Pause/, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.locator('.tail__status', { hasText: 'Paused' }).waitFor()
    const id = await newLink()
    await page.getByText('1 new', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator(`.tail a[href="/ops/actors/${id}?rev=1"]`).waitFor()
    await tabToPart(page, new RegExp(id.slice(-4)))
    await page.locator('.tail__status', { hasText: 'Paused' }).waitFor()
    await page.keyboard.press('Enter')
    await heading(id)
  })

  test('a state of a machine is chosen with Enter, and again to close it', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    await page.goto(`${served.server.url}/ops/machines/payment`)
    await heading('Machines')
    await page.locator('.chart__state').first().waitFor()
    await tabToPart(page, /^pending/)
    await page.keyboard.press('Enter')
    await until(() => new URL(page.url()).searchParams.get('state') === 'pending')
    expect((await focused(page))?.isSeen).toBe(true)
    await walk()
  })

  test('the tables have what the chart shows: counts, how long actors stay, and arrows', async () => {
    const { page, served } = shop
    const { heading, expectSound } = onPage(page)
    const { sql } = served.server
    await shop.payAndWait()
    await sql`
      insert into machine_stays
      values ('week', date_trunc('week', now(), 'UTC'), 'payment', 'processing', duration_class(60000), 1000)
      on conflict (span, starts_at, kind, state, duration) do update set stays = excluded.stays`
    await page.goto(`${served.server.url}/ops/machines/payment?window=30d`)
    await heading('Machines')
    await content()
    const cellsOf = (table: string) =>
      page
        .getByRole('table', { name: table, exact: true })
        .getByRole('row')
        .filter({ has: page.getByRole('cell') })
        .evaluateAll(rows => rows.map(row => [...row.querySelectorAll('[role=cell]')].map(cell => cell.textContent)))
    const boxes = () =>
      page.locator('.chart__state').evaluateAll(all =>
        all.map(box => {
          const text = (selector: string) => box.querySelector(selector)?.textContent ?? ''
          return [text('code'), text(':scope > span:nth-child(2)'), text('b')]
        }),
      )
    const drawn = await boxes()
    // State, stays, times left, share, now.
    const states = await cellsOf('States')
    expect(states.map(([state, stays, , , now]) => [state, stays, now])).toEqual(drawn)
    const counts = await sql<{ state: string; count: number }[]>`
      select state, count(*)::integer as count from payments group by state`
    expect(counts.length).toBeGreaterThan(0)
    for (const { state, count } of counts)
      expect([state, states.find(([name]) => name === state)?.[4]]).toEqual([state, String(count)])
    expect(states.find(([name]) => name === 'processing')?.[1]).toBe('p50 58 sec · p95 58 sec')
    const arrows = await cellsOf('Arrows')
    const shown = await page
      .locator('.chart__arrows g')
      .evaluateAll(all => all.map(arrow => arrow.querySelector('.chart__count')?.textContent))
    expect(arrows.map(([, , taken]) => taken).toSorted()).toEqual(shown.toSorted())
    const taken = arrows.find(([name]) => name === 'processing → success')?.[2]
    expect(Number(taken)).toBeGreaterThan(0)
    expect(states.find(([name]) => name === 'processing')?.[2]).toBe(taken)
    await expectSound()
    await tabToPart(page, 'success')
    expect(await focused(page)).toMatchObject({ name: 'success', isSeen: true })
    await page.keyboard.press('k')
    expect(await focused(page)).toMatchObject({ name: 'processing', isSeen: true })
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'processing' }).waitFor()
  })

  test('the runs of the audit are gone through with j, and opened with Enter', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    await served.server.sql`
      insert into audits (status, started_by, finished_at) values ('clean', 'schedule', now()), ('failed', 'command', now())`
    await page.goto(`${served.server.url}/ops/audits`)
    await heading('Audit')
    await page.getByRole('row').nth(2).waitFor()
    await walk()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await heading(/^Audit of /)
    await page.getByText('bun run audit').waitFor()
    await walk()
    await tabToPart(page, 'Audit', 'Shift+Tab')
    await page.keyboard.press('Enter')
    await heading('Audit')
  })
})

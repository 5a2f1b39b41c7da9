import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { kinds } from '../../../src/kinds/all.ts'
import { eventsOf, statesOf } from '../../../src/kinds/definition.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from '../dashboard/harness.ts'
import { type SandboxShop, sandboxShop } from '../dashboard/sandbox-shop.ts'

describe.skipIf(!hasBrowser)('the tail of all transitions', () => {
  let shop: SandboxShop
  beforeAll(async () => {
    shop = await sandboxShop()
    await shop.served.server.sql`update accounts set operator = true where email = 'anna@lamps.example'`
  }, 120_000)
  afterAll(() => shop?.[Symbol.asyncDispose]())

  const open = (query = '') => shop.page.goto(`${shop.served.server.url}/ops/tail${query}`)
  const rows = () => shop.page.locator('.tail tbody tr')
  const texts = () => rows().allTextContents()
  const announced = (text: string | RegExp) => shop.page.locator('.tail__status', { hasText: text }).waitFor()
  const received = async () => Number(await shop.page.locator('[data-received]').getAttribute('data-received'))
  const newLink = async () =>
    String(
      (await shop.call('POST', `/v1/merchants/${shop.merchant}/payment-links`, { amountMinor: 1000, currency: 'USD' }))
        .id,
    )
  const shownId = (id: string) => id.slice(-4)

  test('an empty server says what will appear, and then shows it', async () => {
    const { heading, expectSound } = onPage(shop.page)
    await open()
    await heading('Tail')
    await shop.page.getByText('No transition yet').waitFor()
    await expectSound()
    const id = await newLink()
    await shop.page.locator('.tail tr', { hasText: shownId(id) }).waitFor()
    expect((await texts())[0]).toMatch(/payment_link.*→ active.*create/)
    await expectSound()
  })

  test('the latest transitions come first; each row leads to its actor at its revision', async () => {
    const paid = await shop.payAndWait()
    await open()
    await rows().nth(4).waitFor()
    const { sql } = shop.served.server
    const wanted = async () => {
      const [{ count } = { count: 0 }] = await sql<
        { count: number }[]
      >`select count(*)::integer as count from transitions`
      return count
    }
    await until(async () => (await rows().count()) === (await wanted()))
    const row = shop.page.locator('.tail tr', { hasText: 'finalized' }).filter({ hasText: shownId(paid) })
    const href = (await row.locator('a.open').getAttribute('href')) ?? ''
    expect(href).toMatch(new RegExp(`^/ops/actors/${paid}\\?rev=\\d+$`))
    await row.locator('a.open').click()
    await onPage(shop.page).heading(paid)
    expect(new URL(shop.page.url()).search).toBe(href.slice(href.indexOf('?')))
  })

  test('the filters have the events and states of all machines as histories name them, from one request', async () => {
    const { page } = shop
    // What the page before it still requests does not count.
    await page.goto('about:blank')
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await open()
    const optionsOf = (label: string) => page.getByLabel(label, { exact: true }).locator('option').allTextContents()
    const events = ['Event: all', ...new Set(kinds.flatMap(eventsOf))]
    await until(async () => (await optionsOf('Event')).length === events.length)
    expect((await optionsOf('Event')).toSorted()).toEqual(events.toSorted())
    expect(events).toContain('after.decision.dispute.under_review')
    const states = ['New state: all', ...new Set(kinds.flatMap(statesOf).map(({ state }) => state))]
    expect((await optionsOf('New state')).toSorted()).toEqual(states.toSorted())
    expect(asked.filter(path => path.startsWith('/v1/ops/machines'))).toEqual(['/v1/ops/machines'])
  })

  test('filters are in the address, alone and together, and one step back in the history', async () => {
    const { page } = shop
    const { expectSound } = onPage(page)
    await open()
    await page.getByLabel('Machine').selectOption('payment_link')
    await until(async () => (await texts()).length > 0 && (await texts()).every(text => text.includes('payment_link')))
    expect(new URL(page.url()).search).toBe('?kind=payment_link')
    await page.getByLabel('Event').selectOption('create')
    await until(async () => (await texts()).length > 0 && (await texts()).every(text => text.includes('create')))
    expect(new URL(page.url()).search).toBe('?kind=payment_link&event=create')
    const before = await rows().count()
    const id = await newLink()
    await page.locator('.tail tr', { hasText: shownId(id) }).waitFor()
    expect(await rows().count()).toBe(before + 1)
    await page.goBack()
    await until(async () => (await rows().count()) > before + 1)
    await open(`?event=create&merchant=${shop.merchant}`)
    expect(await page.getByLabel('Actor or shop ID').inputValue()).toBe(shop.merchant)
    await rows().first().waitFor()
    await page.getByLabel('Actor or shop ID').fill(id)
    await page.keyboard.press('Enter')
    await until(async () => (await rows().count()) === 1)
    expect(new URL(page.url()).searchParams.get('actor')).toBe(id)
    expect(new URL(page.url()).searchParams.get('merchant')).toBeNull()
    await expectSound()
  })

  test('a filter that matches nothing says so, and can be removed; a malformed ID is explained', async () => {
    const { page } = shop
    const { expectSound } = onPage(page)
    await open('?kind=dispute')
    await page.getByText('None of the latest transitions matches').waitFor()
    await expectSound()
    await page.getByRole('link', { name: 'Remove the filters' }).click()
    await rows().first().waitFor()
    expect(new URL(page.url()).search).toBe('')
    await open('?actor=nonsense')
    await page.getByRole('alert').waitFor()
    await expectSound()
  })

  test('paused, it counts what arrives and shows it later, by keyboard alone', async () => {
    const { page } = shop
    await open()
    await rows().first().waitFor()
    await page.keyboard.press('p')
    await announced('Paused')
    const before = await texts()
    const id = await newLink()
    await page.getByText('1 new', { exact: true }).waitFor()
    expect(await texts()).toEqual(before)
    await page.keyboard.press('p')
    await page.locator('.tail tr', { hasText: shownId(id) }).waitFor()
    await announced('Live')
    expect(await texts()).toEqual([(await texts())[0] ?? '', ...before])
    // A row with the focus does not move away.
    await page.keyboard.press('j')
    await announced('Paused')
    const focused = () => page.evaluate<string | null>('document.activeElement.getAttribute("href")')
    const href = await focused()
    await newLink()
    await page.getByText('1 new', { exact: true }).waitFor()
    expect(await focused()).toBe(href)
    await page.keyboard.press('ArrowDown')
    await until(async () => (await focused()) !== href)
    await page.getByRole('button', { name: 'Resume' }).press('Enter')
    await announced('Live')
  })

  test('a screen reader hears the state of the connection, and no rows', async () => {
    await open()
    await rows().first().waitFor()
    const live = await shop.page.locator('[aria-live], [role=status], [role=alert], [role=log]').allTextContents()
    expect(live.map(text => text.trim()).filter(Boolean)).toEqual(['Live'])
  })

  test('after a lost connection it goes on where it was, and nothing is left out', async () => {
    const { page } = shop
    const server = shop.served.server
    await open()
    await rows().first().waitFor()
    const before = await received()
    await page.route('**/v1/ops/transitions/stream*', route => route.abort())
    // The server ends the stream of a session that is gone, and of a moment without the right to operate.
    await server.sql`update accounts set operator = false where email = 'anna@lamps.example'`
    await announced('Not connected since')
    await server.sql`update accounts set operator = true where email = 'anna@lamps.example'`
    const ids = [await newLink(), await newLink(), await newLink()]
    await page.unroute('**/v1/ops/transitions/stream*')
    await announced('Live')
    for (const id of ids) await page.locator('.tail tr', { hasText: shownId(id) }).waitFor()
    await until(async () => (await received()) === before + 3)
  })

  test('2,000 transitions at once leave 200 rows, and all are counted', async () => {
    const { page } = shop
    const { sql } = shop.served.server
    await open()
    await rows().first().waitFor()
    const before = await received()
    await sql`
      insert into transitions (actor, command, at, actor_created_at, era, rev, keyed, kind, event, from_state, to_state, context)
      select gen_random_uuid(), gen_random_uuid(), now(), now(), current_era(), 2, false, 'payment', 'x', 'pending', 'pending', '{}'
      from generate_series(1, 2000)`
    await until(async () => (await received()) === before + 2_000)
    expect(await rows().count()).toBe(200)
    await onPage(page).expectSound()
    await sql`delete from transitions where event = 'x'`
  })

  test('an account that is no operator any more sees no further transition', async () => {
    const { page } = shop
    const { sql } = shop.served.server
    await open()
    await rows().first().waitFor()
    await sql`update accounts set operator = false where email = 'anna@lamps.example'`
    const id = await newLink()
    await onPage(page).heading('For operators only')
    expect(await page.getByText(shownId(id)).count()).toBe(0)
    await sql`update accounts set operator = true where email = 'anna@lamps.example'`
    await until(async () => {
      await open()
      const shown = page.locator('.tail tr', { hasText: shownId(id) }).waitFor({ timeout: 3_000 })
      return await shown.then(
        () => true,
        () => false,
      )
    })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { decodeId, uuidv7 } from '../../../src/ids.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { definitionOf } from '../../../src/kinds/definition.ts'
import { addSigner, removeSigner } from '../../../src/queries/signer-setup.ts'
import { charts } from '../../../src/web/ops/machines/charts.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { formatted } from '../api/formatted.ts'
import { forgetAttempts, onPage, signUp } from '../dashboard/harness.ts'
import { type SandboxShop, sandboxShop } from '../dashboard/sandbox-shop.ts'
import { layOutCharts } from './lay-out-charts.ts'

test('the charts are those of the machines; `bun run charts` writes them anew', async () => {
  const written = readFileSync(new URL('../../../src/web/ops/machines/charts.ts', import.meta.url), 'utf8')
  expect(written).toBe(formatted(await layOutCharts()))
})

test.each(Object.keys(charts))('the chart of %s fits into a window of 1280 pixels', kind => {
  // The window without the navigation, the margins and the border.
  expect(charts[kind]?.width).toBeLessThanOrEqual(1280 - 240 - 2 * 32 - 2)
})

test('a changed machine changes its chart', async () => {
  const [payment] = kinds
  if (!payment) throw new Error('There is no machine')
  const renamed = { ...payment, name: 'other' }
  expect(await layOutCharts([renamed])).toContain('"other"')
})

describe.skipIf(!hasBrowser)('the pages for operators', () => {
  let shop: SandboxShop
  let paid: string
  beforeAll(async () => {
    shop = await sandboxShop()
    await shop.served.server.sql`update accounts set operator = true where email = 'anna@lamps.example'`
    paid = await shop.pay()
    await shop.pay('underpaid')
  }, 120_000)
  afterAll(() => shop?.[Symbol.asyncDispose]())

  const open = (path: string) => shop.page.goto(`${shop.served.server.url}${path}`)

  test('health shows what works and what does not, and leads to the parts', async () => {
    const { heading, click, expectSound } = onPage(shop.page)
    await open('/ops')
    await heading('Health')
    await shop.page.getByRole('heading', { name: 'Everything' }).waitFor()
    await expectSound()
    await click('Chains', 'link')
    await heading('Chains')
  })

  test('a refund signer without gas and a disabled endpoint are named, with what to do, and are listed', async () => {
    const { page, merchant, served } = shop
    const { sql } = served.server
    const merchantId = decodeId('mer', merchant) ?? ''
    const address = `0x${'7'.repeat(40)}`
    await sql`
      insert into merchant_settings (merchant_id, livemode, refund_mode) values (${merchantId}, false, 'signer')
      on conflict on constraint merchant_settings_pkey do update set refund_mode = 'signer'`
    await addSigner(sql, {
      ...{ id: uuidv7(new Date(), crypto.getRandomValues.bind(crypto)), merchantId, chainId: 31337, address },
      ...{ sealedKey: 'sealed', firstNonce: 0, limits: [] },
    })
    await sql`
      insert into webhook_endpoints (id, merchant_id, livemode, url, event_types, state, disabled_reason, sealed_secret,
        enabled_at, created_at, updated_at)
      values (gen_random_uuid(), ${merchantId}, true, 'https://hooks.lamps.example/secret-path', '{payment.succeeded}',
        'disabled', 'gone', 'sealed', now(), now(), now())`
    const { heading, expectSound } = onPage(page)
    await open('/ops')
    await heading('Health')
    const failures = page.locator('.asks > li')
    const signer = failures.filter({ hasText: 'refund signer 0x777777…777777 has no gas' })
    await signer.getByText('Send ETH to its address').waitFor()
    const endpoint = failures.filter({ hasText: 'hooks.lamps.example: the webhook endpoint was disabled' })
    await endpoint.getByText(`Shop ${merchant} can change its address`).waitFor()
    // The worst first.
    const tones = await failures.evaluateAll(all => all.map(each => each.getAttribute('data-tone')))
    expect(tones).toEqual(tones.toSorted())
    await signer.getByRole('link').click()
    expect(new URL(page.url()).hash).toBe('#signers')
    const table = page.getByRole('table', { name: 'Refund signers' })
    await table.getByText('0.00 ETH').waitFor()
    // The link scrolls on the page that is open already, also when it is followed again.
    const isInSight = async () => ((await table.boundingBox())?.y ?? Number.POSITIVE_INFINITY) < 700
    await until(isInSight)
    await page.evaluate('scrollTo(0, 0)')
    await until(async () => !(await isInSight()))
    await signer.getByRole('link').click()
    await until(isInSight)
    await page.getByRole('table', { name: 'Webhook endpoints' }).getByText('Disabled by the server').waitFor()
    expect(await page.content()).not.toContain('secret-path')
    await expectSound()
    await sql`update webhook_endpoints set state = 'deleted', disabled_reason = null where url like '%hooks.lamps%'`
    await removeSigner(sql, { merchantId, chainId: 31337 })
    await page.getByText('Everything works').waitFor()
  })

  test('machines are drawn with the states of now, and a state shows its events', async () => {
    const { heading, expectSound } = onPage(shop.page)
    await open('/ops/machines/payment')
    await heading('Machines')
    const box = (name: string) =>
      shop.page.locator('.chart__state', { has: shop.page.getByText(name, { exact: true }) })
    const counted = async (name: string) => (await box(name).locator('b').textContent()) ?? ''
    const { sql } = shop.served.server
    const states = await sql<{ state: string; count: number }[]>`
      select state, count(*)::float8 as count from payments group by state`
    for (const { state, count } of states) await until(async () => (await counted(state)) === String(count))
    await box('success').click()
    await shop.page.getByRole('complementary', { name: 'success' }).getByText('stray_seen').waitFor()
    expect(new URL(shop.page.url()).search).toContain('state=success')
    await expectSound()
  })

  test('nothing moves when the chart arrives 800 ms after the tabs', async () => {
    await using visit = await shop.served.visit({ viewport: { width: 1280, height: 800 } })
    const { page } = visit
    await visit.context.addCookies(await shop.visit.context.cookies())
    await page.addInitScript(`globalThis.shifts = []
      new PerformanceObserver(list => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shifts.push(value)
      }).observe({ type: 'layout-shift', buffered: true })`)
    await page.route('**/v1/ops/machines/payment?*', async route => {
      await Bun.sleep(800)
      await route.continue()
    })
    await page.goto(`${shop.served.server.url}/ops/machines`)
    await page.locator('.chart__state').first().waitFor()
    await page.getByRole('table', { name: 'Arrows', exact: true }).waitFor()
    const shifts = await page.evaluate<number[]>('globalThis.shifts')
    expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(0.02)
  })

  test.each(kinds.map(({ name }) => name))('the chart of %s has every state and arrow of its machine', async name => {
    await open(`/ops/machines/${name}`)
    const machine = kinds.find(kind => kind.name === name)?.machine
    const states = Object.keys(machine?.states ?? {})
    await shop.page.locator('.chart__state').first().waitFor()
    expect((await shop.page.locator('.chart__name code').allTextContents()).sort()).toEqual(states.sort())
    const arrows = await shop.page.locator('.chart__arrows g').count()
    const rowsOf = (table: string) => shop.page.getByRole('table', { name: table, exact: true }).locator('tbody tr')
    expect(await rowsOf('Arrows').count()).toBe(arrows)
    expect(await rowsOf('States').count()).toBe(states.length)
    // A machine with one state has none.
    expect(arrows > 0).toBe(states.length > 1)
  })

  test('the definition of a machine is downloaded as the API answers it', async () => {
    const { page } = shop
    await open('/ops/machines/refund')
    const started = page.waitForEvent('download')
    await onPage(page).click('Download the definition')
    const download = await started
    expect(download.suggestedFilename()).toBe('refund.machine.json')
    const kind = kinds.find(({ name }) => name === 'refund') ?? expect.unreachable()
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toEqual(definitionOf(kind))
  })

  test('a payment in the dashboard leads operators to its state machine, and other members not', async () => {
    const { page } = shop
    const { heading, click } = onPage(page)
    const { sql } = shop.served.server
    const openPayment = async () => {
      await shop.go(`payments/${paid}`)
      await page.getByRole('heading', { name: 'JSON', exact: true }).waitFor()
    }
    await openPayment()
    await click('View in the operator console', 'link')
    await heading(paid)
    expect(new URL(page.url()).pathname).toBe(`/ops/actors/${paid}`)
    await sql`update accounts set operator = false`
    await openPayment()
    expect(await page.getByRole('link', { name: 'View in the operator console' }).count()).toBe(0)
    await sql`update accounts set operator = true`
  })

  test('an actor is found by its ID, and shows what can move it and what each revision changed', async () => {
    const { page } = shop
    const { heading, expectSound } = onPage(page)
    await open('/ops')
    await heading('Health')
    await page.keyboard.press('/')
    await page.keyboard.type(paid)
    await page.keyboard.press('Enter')
    await heading(paid)
    await page.getByRole('region', { name: 'What can move it now' }).getByText('stray_seen').waitFor()
    const history = page.getByRole('region', { name: 'Story' })
    await history.getByRole('link', { name: 'enough_seen' }).click()
    expect(new URL(page.url()).searchParams.get('rev')).toMatch(/^\d+$/)
    await page.getByRole('row', { name: /state.*"pending".*"processing"/ }).waitFor()
    await expectSound()
    expect(await page.getByText('ada@example.com').count()).toBe(0)
  })

  test('nothing is stuck in a shop that works, and what does not exist is not found', async () => {
    const { heading, expectSound } = onPage(shop.page)
    await open('/ops/stuck')
    await heading('Stuck')
    await shop.page.getByText('Nothing is stuck').waitFor()
    await expectSound()
    await open('/ops/search?q=pay_nothing')
    await shop.page.getByText('Nothing found').waitFor()
    await expectSound()
  })

  test('the engine: queues, workers, chains and audits; an audit is started here', async () => {
    const { heading, click, toast, expectSound } = onPage(shop.page)
    await open('/ops')
    for (const name of ['Queues', 'Workers', 'Chains']) {
      await click(name, 'link')
      await heading(name)
      await shop.page.locator('.table tbody tr').first().waitFor()
      await expectSound()
    }
    await click('Audit', 'link')
    await heading('Audit')
    await click('Run an audit')
    await toast('The audit has started')
    const row = shop.page.getByRole('row').nth(1)
    await row.getByText('Operator').waitFor()
    await expectSound()
    await row.getByRole('link').click()
    await heading(/^Audit of /)
    const { page } = shop
    const rules = page.getByRole('table', { name: 'Rules' })
    await until(async () => (await rules.getByRole('row').count()) > 80, { timeoutMs: 60_000 })
    await page.getByText(/^Operator usr_/).waitFor()
    await expectSound()
  })

  test('the page of an audit says of each finding what to do, and leads to the record', async () => {
    const { page } = shop
    const { sql } = shop.served.server
    const [event] = await sql<{ id: string }[]>`select id from events where type = 'payment.created' limit 1`
    const checks = [
      { name: 'I1: an event without a delivery', status: 'findings', count: 2, sample: event?.id },
      { name: 'I9: another rule', status: 'clean', count: 0, sample: null },
      { name: 'Base (8453): no node answers', status: 'failed', count: 0, sample: null },
    ]
    const [audit] = await sql<{ id: string }[]>`
      insert into audits (status, started_by, finished_at, checks)
      values ('findings', 'schedule', now() + interval '12 s', ${JSON.stringify(checks)}::text::json) returning id`
    const { heading, expectSound } = onPage(page)
    await open(`/ops/audits/${audit?.id}`)
    await heading(/^Audit of /)
    const facts = page.locator('.facts').first()
    for (const fact of ['Findings', '12 sec', 'The schedule of each night']) await facts.getByText(fact).waitFor()
    const findings = page.getByRole('region', { name: 'Findings' }).getByRole('listitem')
    expect(await findings.count()).toBe(2)
    await findings.nth(0).getByText('2 breaches').waitFor()
    await findings.nth(0).getByText('A shop may have missed an event').waitFor()
    await findings.nth(1).getByText('It could not be checked').waitFor()
    await expectSound()
    await findings.nth(0).getByRole('link').click()
    await page.waitForURL(/\/ops\/actors\/pay_/)
    // The search has led to the only record that it found, and asks for the next one.
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
  })

  test('a chain that was reorganized below its final block is named, with what to do, on its page too', async () => {
    const { page } = shop
    const { heading, expectSound } = onPage(page)
    const { sql } = shop.served.server
    await sql`
      create function keep_stopped() returns trigger language plpgsql as
      $$begin new.stopped_at = '2026-11-20T12:00:00Z'; return new; end$$`
    await sql`create trigger keep_stopped before update on chain_cursors for each row execute function keep_stopped()`
    await sql`update chain_cursors set step = step`
    const failure = () => page.locator('.asks > li').filter({ hasText: 'Sandbox has not been read since' })
    await open('/ops')
    await heading('Health')
    await failure().getByText('name others in RPC_URLS').waitFor()
    await failure().getByRole('link').click()
    await heading('Chains')
    await failure().waitFor()
    await page.getByText('Not read since').waitFor()
    // It is this page that it would lead to.
    expect(await failure().getByRole('link').count()).toBe(0)
    await expectSound()
    await sql`drop trigger keep_stopped on chain_cursors`
    await sql`drop function keep_stopped`
    await sql`update chain_cursors set stopped_at = null`
    await failure().waitFor({ state: 'detached' })
  })

  test('an account that is no operator learns how to become one', async () => {
    const other = { email: 'olga@lamps.example', password: 'correct horse battery' }
    await signUp(shop.served, other, 'Other')
    await forgetAttempts(shop.served)
    await using visit = await shop.served.visit({ viewport: { width: 1280, height: 800 } })
    await visit.page.goto(`${shop.served.server.url}/ops`)
    const { heading, signIn, expectSound } = onPage(visit.page)
    await heading('Sign in to operations')
    await expectSound()
    await signIn(other)
    await heading('For operators only')
    await visit.page.getByText(`bun run admin operator add ${other.email}`).waitFor()
    await expectSound()
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { decodeId, uuidv7 } from '../../../src/ids.ts'
import { kinds } from '../../../src/kinds/all.ts'
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
    await page.getByRole('table', { name: 'Refund signers' }).getByText('0.00 ETH').waitFor()
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

  test.each(kinds.map(({ name }) => name))('the chart of %s has every state and arrow of its machine', async name => {
    await open(`/ops/machines/${name}`)
    const machine = kinds.find(kind => kind.name === name)?.machine
    const states = Object.keys(machine?.states ?? {})
    await shop.page.locator('.chart__state').first().waitFor()
    expect((await shop.page.locator('.chart__name code').allTextContents()).sort()).toEqual(states.sort())
    const arrows = await shop.page.locator('.chart__arrows g').count()
    expect(await shop.page.locator('.table tbody tr').count()).toBe(arrows)
    expect(arrows).toBeGreaterThan(0)
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
    await shop.page.getByRole('row').nth(1).waitFor()
    await expectSound()
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

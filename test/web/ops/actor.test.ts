import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { decodeId, encodeId } from '../../../src/ids.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from '../dashboard/harness.ts'
import { type SandboxShop, sandboxShop } from '../dashboard/sandbox-shop.ts'

describe.skipIf(!hasBrowser)('the page of an actor for operators', () => {
  let shop: SandboxShop
  let paid: string
  beforeAll(async () => {
    shop = await sandboxShop()
    await setOperator(true)
    paid = await shop.payAndWait()
  }, 120_000)
  afterAll(() => shop?.[Symbol.asyncDispose]())

  const setOperator = (operator: boolean) =>
    shop.served.server.sql`update accounts set operator = ${operator} where email = 'anna@lamps.example'`
  const open = (path: string) => shop.page.goto(`${shop.served.server.url}${path}`)
  const region = (name: string) => shop.page.getByRole('region', { name, exact: true })
  const shownText = async () => (await shop.page.locator('main').textContent()) ?? ''
  const revOf = () => new URL(shop.page.url()).searchParams.get('rev')
  const active = () => shop.page.locator('.chart__state[aria-pressed=true] code').textContent()
  const link = async (): Promise<string> =>
    (await shop.call('POST', `/v1/merchants/${shop.merchant}/payment-links`, { amountMinor: 1000, currency: 'USD' })).id

  test('revisions are stepped through by keys and buttons, scrubbed, and have addresses of their own', async () => {
    const { page } = shop
    const { heading, expectSound } = onPage(page)
    await open(`/ops/actors/${paid}?rev=1`)
    await heading(paid)
    const scrub = region('Revisions')
    await scrub.getByText(/^1 of \d+$/).waitFor()
    expect(await active()).toBe('pending')
    await page.keyboard.press('ArrowRight')
    await scrub.getByText(/^2 of \d+$/).waitFor()
    expect(revOf()).toBe('2')
    await region('Story').getByRole('link', { name: 'enough_seen' }).click()
    await page.getByRole('row', { name: /state.*"pending".*"processing"/ }).waitFor()
    await until(async () => (await active()) === 'processing')
    await scrub.getByRole('button', { name: 'One revision back' }).click()
    await until(async () => (await active()) === 'pending')
    await scrub.getByRole('slider', { name: 'Revision' }).focus()
    await page.keyboard.press('End')
    await until(async () => (await active()) === 'success')
    await scrub.locator('.scrub__what', { hasText: 'finalized' }).waitFor()
    const { data } = await shop.call('GET', `/v1/merchants/${shop.merchant}/payments/${paid}/history?limit=100`)
    expect(revOf()).toBe(String(data.length))
    await expectSound()
  })

  test('of more than a hundred revisions a part is read at a time; the slider keeps the focus and the pointer', async () => {
    const { page } = shop
    const { heading, expectSound } = onPage(page)
    const id = await link()
    const { actors } = shop.served.server.api
    for (let n = 0; n < 150; n++)
      await actors.dispatch({
        ...{ kind: 'payment_link', actor: decodeId('plink', id) ?? '', event: { type: 'open_payment' } },
        cause: 'test',
      })
    await open(`/ops/actors/${id}?rev=99`)
    await heading(id)
    const scrub = region('Revisions')
    await scrub.getByText('99 of 151').waitFor()
    const slider = scrub.getByRole('slider', { name: 'Revision' })
    await slider.focus()
    for (const rev of [100, 101, 102]) {
      await page.keyboard.press('ArrowRight')
      await scrub.getByText(`${rev} of 151`).waitFor()
      await scrub.locator('.scrub__what', { hasText: 'open_payment' }).waitFor()
      expect(await page.evaluate<boolean>("document.activeElement.matches('.scrub input')")).toBe(true)
    }
    await region('Story').getByText('Revisions 99 to 151 of 151').waitFor()
    await scrub.getByText('The chart counts from revision 99 on.').waitFor()
    expect(await active()).toBe('active')
    await expectSound()
    const { x = 0, y = 0, width = 0, height = 0 } = (await slider.boundingBox()) ?? {}
    await page.mouse.move(x + width * 0.7, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.1, y + height / 2, { steps: 20 })
    await page.mouse.move(x + width - 1, y + height / 2, { steps: 20 })
    await page.mouse.up()
    await scrub.getByText('151 of 151').waitFor()
    await region('Story').getByRole('link', { name: 'Earlier' }).click()
    await region('Story').getByText('Revisions 1 to 100 of 151').waitFor()
    expect(revOf()).toBe('99')
  })

  test('the story leads from the request of the customer to the transfer and to the answer of the endpoint', async () => {
    const { sql } = shop.served.server
    await shop.call('POST', `/v1/merchants/${shop.merchant}/webhook-endpoints`, {
      url: 'https://192.0.9.1/hooks',
      eventTypes: ['payment.succeeded'],
    })
    const id = await shop.payAndWait()
    const [found] = await sql<{ id: string }[]>`select id from deliveries`
    const delivery = encodeId('whd', found?.id ?? '')
    await sql`
      insert into delivery_attempts (
        delivery_id, number, trigger, worker, started_at, finished_at, duration_ms, outcome, http_status)
      select id, 77, 'manual', gen_random_uuid(), now(), now(), 84, 'http_error', 500 from deliveries`
    await open(`/ops/actors/${id}`)
    const story = region('Story')
    const first = story.locator('.timeline > li').first()
    await first.getByText('Customer').waitFor()
    await first.getByText(/^Request /).waitFor()
    await story
      .getByText(/Transfer of \d+ units on/)
      .first()
      .waitFor()
    await story.getByText('payment.succeeded').waitFor()
    await story.getByText('Attempt 77: answered 500').waitFor()
    expect(await shownText()).not.toContain('ada@example.com')
    await story.locator(`a[href="/ops/actors/${delivery}"]`).click()
    await onPage(shop.page).heading(delivery)
    await region('Story').getByText('published by').waitFor()
    await region('Story').locator(`a[href^="/ops/actors/${id}?rev="]`).click()
    await onPage(shop.page).heading(id)
  })

  test('what if: shows what an event would do, refuses what is not possible, and writes nothing', async () => {
    const { click, fill, expectSound } = onPage(shop.page)
    const id = await link()
    const revs = () => shop.served.server.sql`select rev from payment_links order by id`
    const before = await revs()
    await open(`/ops/actors/${id}`)
    const section = region('What if')
    await section.getByLabel('Event', { exact: true }).selectOption('deactivate')
    await click('Preview')
    const answer = region('What deactivate would do')
    await answer.getByText('active → deactivated').waitFor()
    await answer.getByRole('row', { name: /state/ }).waitFor()
    await section.getByText('Shows what would happen. Nothing is written.').waitFor()
    await expectSound()

    await open(`/ops/actors/${paid}`)
    await section.getByLabel('Event', { exact: true }).selectOption('dismiss')
    await click('Preview')
    await section.getByRole('alert').getByText('Possible now:').waitFor()
    await fill('Fields of the event (optional)', '{"a"')
    await click('Preview')
    await section.getByText('This is not a JSON object.').waitFor()
    await expectSound()
    expect(await revs()).toEqual(before)
  })

  test('by keyboard alone: from the search to an event that was sent with a reason', async () => {
    const { page } = shop
    const { heading, toast, dialog, expectSound } = onPage(page)
    const id = await link()
    await open('/ops')
    await heading('Health')
    await page.keyboard.press('/')
    await page.keyboard.type(id)
    await page.keyboard.press('Enter')
    await heading(id)
    await region('What can move it now').getByRole('button', { name: 'Send deactivate' }).waitFor()
    const focused = () => page.locator(':focus').textContent()
    for (let n = 0; n < 60 && (await focused()) !== 'Send deactivate'; n++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const asked = dialog('Send deactivate?')
    await asked.getByText(id).waitFor()
    await asked.getByText('active → deactivated').waitFor()
    await expectSound()
    await page.keyboard.press('Enter')
    await asked.getByText('Enter why you send it.').waitFor()
    await page.keyboard.type('The shop has asked for it')
    await page.keyboard.press('Enter')
    await toast('deactivate was sent. The state is deactivated.')
    await asked.waitFor({ state: 'hidden' })
    await region('Story').getByText('The shop has asked for it').waitFor()
    await region('Story').getByText('Operator').waitFor()
    await region('What can move it now').getByRole('button').waitFor({ state: 'detached' })
    await expectSound()
  })

  test('a refusal is shown in the dialog, with what is possible', async () => {
    const { page } = shop
    const { click, fill, dialog } = onPage(page)
    const id = await link()
    await open(`/ops/actors/${id}`)
    await click('Send deactivate')
    const asked = dialog('Send deactivate?')
    await asked.getByText('active → deactivated').waitFor()
    await shop.call('POST', `/v1/merchants/${shop.merchant}/payment-links/${id}/deactivate`)
    await fill('Reason', 'Too late')
    await page.keyboard.press('Enter')
    await asked.getByText('The machine does not take this event now.').waitFor()
    await page.keyboard.press('Escape')
    await asked.waitFor({ state: 'hidden' })
  })

  test('without a recent proof of identity it is asked for in place, and the event is sent then', async () => {
    const { page } = shop
    const { click, fill, dialog, toast } = onPage(page)
    const id = await link()
    await open(`/ops/actors/${id}`)
    // As if the sign-in was longer ago than a proof counts.
    const { sql } = shop.served.server
    await sql`update sessions set proven_at = now() - interval '6 minutes'`
    const refused = page.waitForResponse(response => response.url().endsWith('/events'))
    await click('Send deactivate')
    await fill('Reason', 'The shop has asked for it')
    await page.keyboard.press('Enter')
    expect((await refused).status()).toBe(403)
    expect(
      await sql`select from payment_links where id = ${decodeId('plink', id) ?? ''} and state = 'active'`,
    ).toHaveLength(1)
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await toast('deactivate was sent')
    await dialog('Send deactivate?').waitFor({ state: 'hidden' })
  })

  test('a payment leads operators here, and others nowhere', async () => {
    const { page } = shop
    const { heading, click } = onPage(page)
    await shop.go(`payments/${paid}`)
    await click('View in the operator console', 'link')
    await heading(paid)
    await setOperator(false)
    await shop.go(`payments/${paid}`)
    await page.getByText('Show the record as JSON').waitFor()
    expect(await page.getByRole('link', { name: 'View in the operator console' }).count()).toBe(0)
    await setOperator(true)
  })
})

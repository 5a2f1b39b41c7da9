import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { axeFaults, faultsOf } from '../pay/gates.ts'
import { announcing, openWallet } from './refund-wallet.ts'
import { awaitState, cancel, happen, type RefundsServer, refundsServer, unfold } from './refunds-server.ts'

let instance: RefundsServer
beforeAll(async () => {
  if (hasBrowser) instance = await refundsServer()
})
afterAll(() => instance?.[Symbol.asyncDispose]())

describe.skipIf(!hasBrowser)('the refunds of a shop', () => {
  test('without any, say how the first one comes into the list', async () => {
    await using visit = await instance.open(instance.pathOf())
    await visit.go()
    await visit.page.getByRole('heading', { name: 'No refunds yet' }).waitFor()
    expect([await axeFaults(visit.page), await faultsOf(visit.page)]).toEqual([[], []])
  })

  test('are sorted by what has to be done next, and filtered by the address', async () => {
    const ids = { sign: await instance.made(), address: await instance.made({ destination: null }) }
    const canceled = await instance.made()
    await cancel(instance, canceled)
    const stray = await instance.made()
    await cancel(instance, stray)
    await happen(instance, stray, { type: 'stray_transfer_seen', txHash: `0x${'7'.repeat(64)}` })
    await using visit = await instance.open(instance.pathOf(), { viewport: { width: 1280, height: 800 } })
    const { page } = visit
    await visit.go()
    await page.getByRole('heading', { name: 'Resolve', level: 2 }).waitFor()
    expect(await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      ...['Resolve', 'Sign', 'Waits for the customer', 'Done'],
    ])
    const hrefs = () => page.locator('a.open').evaluateAll(each => each.map(link => link.getAttribute('href') ?? ''))
    expect((await hrefs()).map(each => each.split('/').at(-1))).toEqual([stray, ids.sign, ids.address, canceled])
    await page.getByLabel('Status').selectOption('canceled')
    await page.waitForURL(/status=canceled/)
    await page.getByRole('table', { name: 'Refunds, newest first' }).waitFor()
    expect((await hrefs()).map(each => each.split('/').at(-1))).toEqual([stray, canceled])
    await page.getByRole('button', { name: 'Needs you' }).click()
    await page.waitForURL(/attention=true/)
    await page.reload()
    await page.getByRole('row', { name: /Check/ }).waitFor()
    expect((await hrefs()).map(each => each.split('/').at(-1))).toEqual([stray])
    await page.goto(`${instance.server.url}${instance.pathOf()}`)
    await page.getByLabel('Search refunds').fill(ids.address)
    await page.waitForURL(/q=re_/)
    await page.getByRole('row', { name: /Needs address/ }).waitFor()
    expect(await hrefs()).toHaveLength(1)
    // A refund of which only the start of its payment's e-mail is known is found as well.
    await page.getByLabel('Search refunds').fill('nothing like this')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('link', { name: 'Remove the filters' }).click()
    await page.getByRole('heading', { name: 'Resolve', level: 2 }).waitFor()
  })

  test('those that need a member are counted on the first page, each of them once', async () => {
    const { sql } = instance.server
    // Of the test before: one is to be signed, one must be resolved, and two others need no member.
    const path = instance.pathOf().replace(/refunds$/, 'home')
    await using visit = await instance.open(path, { viewport: { width: 1280, height: 800 } })
    await visit.go()
    const link = visit.page.getByRole('link', { name: 'Open: 2 refunds need you' })
    await link.waitFor()
    // On a chain that is off, the one to be signed also needs attention.
    await sql`update refunds set chain_id = chain_id + 1 where state = 'requires_signature'`
    const response = visit.page.waitForResponse(/\/refunds\?.*attention=true/)
    await visit.page.reload()
    expect(Object(await (await response).json()).data).toHaveLength(2)
    await link.waitFor()
    await sql`update refunds set chain_id = chain_id - 1 where state = 'requires_signature'`
    await link.click()
    await visit.page.getByRole('heading', { name: 'Resolve', level: 2 }).waitFor()
  })

  test.each([
    { width: 1280, colorScheme: 'light' },
    { width: 360, colorScheme: 'dark' },
  ] as const)('fit a window of %o in each state, are accessible, and ask only this server', async looks => {
    const { width, colorScheme } = looks
    const [signed, native] = [await instance.made(), await instance.made({ native: true })]
    const [named, stray] = [await instance.made({ destination: null }), await instance.made()]
    await cancel(instance, stray)
    await happen(instance, stray, { type: 'stray_transfer_seen', txHash: `0x${'7'.repeat(64)}` })
    await using visit = await instance.open(instance.pathOf(), {
      ...{ viewport: { width, height: 800 }, colorScheme, script: announcing },
    })
    const { page } = visit
    await openWallet(instance, visit.context)
    const expectSound = async () =>
      expect([page.url(), await axeFaults(page), await faultsOf(page)]).toEqual([page.url(), [], []])
    await visit.go()
    await page.getByRole('heading', { name: 'Sign', level: 2 }).waitFor()
    await expectSound()
    await page.locator(`a.open[href$="/${signed}"]`).click()
    await unfold(page, 'Pay with another wallet')
    await page.locator('.qr').waitFor()
    await unfold(page, 'Report a transaction that was already sent')
    await page.getByRole('button', { name: 'Report transaction' }).click()
    await page.locator('.field .error').waitFor()
    await expectSound()
    const note = { merchantId: instance.merchant, at: '2026-11-20T12:00:00.000Z', hash: null }
    await page.evaluate(
      ([id = '', text = '']) => localStorage.setItem(`paymachine.refund.${id}`, text),
      [native, JSON.stringify(note)],
    )
    for (const [id, words] of [
      [native, 'It is not known whether this refund was sent'],
      [named, 'Waiting for the address of the customer'],
      [stray, 'This refund needs your attention'],
    ] as const) {
      await page.goto(`${instance.server.url}${instance.pathOf(id)}`)
      await page.getByText(words).waitFor()
      await expectSound()
    }
    expect(new Set(visit.requests.map(each => new URL(each).origin))).toEqual(new Set([instance.server.url]))
    expect(visit.consoleMessages).toEqual([])
    for (const id of [signed, native, named]) await cancel(instance, id)
  })

  test('can be paid by keyboard only, and the focus is where the next step is', async () => {
    const id = await instance.made()
    await using visit = await instance.open(instance.pathOf(), { script: announcing })
    const { page } = visit
    const wallet = await openWallet(instance, visit.context)
    await visit.go()
    await page.locator(`a.open[href$="/${id}"]`).waitFor()
    const isAt = (wanted: string) =>
      page.evaluate(text => {
        const { activeElement } = document
        return activeElement?.getAttribute('href')?.endsWith(text) || activeElement?.textContent === text
      }, wanted)
    const tabTo = async (wanted: string) => {
      for (let n = 0; n < 60; n++) {
        await page.keyboard.press('Tab')
        if (await isAt(wanted)) return page.keyboard.press('Enter')
      }
      throw new Error(`${wanted} is not reached`)
    }
    await tabTo(`/${id}`)
    await page.getByText('Choose one way to pay.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await tabTo('Pay with Lamp Wallet')
    await page.getByText('The transaction was sent').waitFor()
    await awaitState(page, 'Confirming')
    expect(wallet.sent).toHaveLength(1)
    await page.goBack()
    await page.getByRole('heading', { name: 'Under way', level: 2 }).waitFor()
  })
})

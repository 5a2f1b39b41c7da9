import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { transferUri } from '../../src/chain/transfer-uri.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { addSigner } from '../../src/queries/signer-setup.ts'
import { customer } from '../chain/refunds/refund-fixture.ts'
import { hasBrowser } from '../harness/browser.ts'
import { member, shop } from '../http/people.ts'
import { cancel, comeBack, happen, press, type RefundsServer, refundsServer, unfold } from './refunds-server.ts'
import { announcing, openWallet } from './wallet.ts'

let instance: RefundsServer
beforeAll(async () => {
  if (hasBrowser) instance = await refundsServer()
})
afterAll(() => instance?.[Symbol.asyncDispose]())

const lampsOf = () => ({ merchantId: instance.merchantId, path: '', owner: instance.owner })
const naming = '**/transaction'
const name = async (page: Page, hash: string) => {
  await page.fill('#hash', hash)
  await press(page, 'Report transaction')
}

/** A waiting refund, its page, and a wallet. */
const waiting = async () => {
  const id = await instance.made()
  const visit = await instance.open(`/refunds/${id}`, { script: announcing })
  const wallet = await openWallet(instance, visit.context)
  await visit.go()
  return { ...visit, id, wallet, says: (text: string) => visit.page.getByText(text).first().waitFor() }
}

/** The tag names of the elements that contain a text. */
const holdersOf = (text: string) => `(() => {
  const treeWalker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (treeWalker.nextNode())
    if (treeWalker.currentNode.nodeValue.includes(${JSON.stringify(text)})) found.push(treeWalker.currentNode.parentElement.tagName)
  return found
})()`

describe.skipIf(!hasBrowser)('a refund shows', () => {
  test('its amounts, its network and its address with checksum', async () => {
    await using visit = await instance.open(`/refunds/${await instance.made()}`)
    await visit.go()
    const facts = await visit.page.locator('.facts').textContent()
    for (const part of ['0.001 TUSD', 'Lamp Net']) expect(facts).toContain(part)
    await visit.page.getByRole('heading', { name: '$10.00' }).waitFor()
    // Copying gives the full address, whatever separates its parts on the screen.
    const select = 'getSelection().selectAllChildren(document.querySelector(".address code")), String(getSelection())'
    expect(await visit.page.evaluate(`(${select})`)).toBe(customer)
  })

  test.each([[false], [true]])(
    'a QR code that decodes to the link next to it; in native currency: %p',
    async native => {
      await using visit = await instance.open(`/refunds/${await instance.made({ native })}`)
      const { page } = visit
      await visit.go()
      await unfold(page, 'Pay with another wallet')
      await page.locator('.qr').waitFor()
      const drawn = (await page.evaluate(`(async () => {
      const image = document.querySelector('.qr')
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: 260, height: 260 })
      const pen = canvas.getContext('2d')
      pen.drawImage(image, 0, 0, 260, 260)
      return [...pen.getImageData(0, 0, 260, 260).data]
    })()`)) as number[]
      const { chain } = instance.on
      const uri = transferUri({
        ...{ chainId: 31337, tokenAddress: native ? null : chain.token, to: customer, amount: 1000n },
      })
      expect(decodeQR({ width: 260, height: 260, data: Uint8Array.from(drawn) })).toBe(uri)
      expect(await page.locator('.uri').getAttribute('href')).toBe(uri)
    },
  )

  test('to viewers, who can sign it, and nothing to sign', async () => {
    const id = await instance.made()
    await using visit = await instance.open(`/refunds/${id}`, {
      by: await member(instance.server.api, lampsOf(), 'viewer'),
      script: announcing,
    })
    await visit.go()
    await visit.page.getByText('An owner or a developer can sign it').waitFor()
    expect(await visit.page.locator('.way, .wallets, #hash').count()).toBe(0)
    await using other = await instance.open(`/refunds/${id}`, {
      by: await member(instance.server.api, lampsOf(), 'developer'),
    })
    await other.go()
    await other.page.getByText('No wallet was found in this browser.').waitFor()
  })

  test("the merchant's texts isolated from the text around them, in any direction", async () => {
    const id = await instance.made()
    const by = await member(instance.server.api, lampsOf(), 'viewer')
    for (const [path, times] of [
      ['/refunds', 1],
      [`/refunds/${id}`, 3],
    ] as const) {
      await using visit = await instance.open(path, { by })
      await visit.go()
      await visit.page.locator('article h1').waitFor()
      expect(await visit.page.evaluate(holdersOf('Lamps & other lights'))).toEqual(Array(times).fill('BDI'))
      expect(await visit.page.evaluate(holdersOf(by.email))).toEqual(['BDI'])
    }
  })

  test('“not found” for another merchant’s refund, and the refunds of all merchants of the account', async () => {
    const { api } = instance.server
    const chairs = await shop(api, 'Chairs')
    const refund = await instance.on.createRefund({ of: { merchantId: chairs.merchantId, livemode: false } })
    const foreign = encodeId('re', refund.id)
    const seen = []
    for (const id of [foreign, encodeId('re', crypto.randomUUID()), 're_1', 'none', '..%2f..']) {
      await using visit = await instance.open(`/refunds/${id}`)
      await visit.go()
      await visit.page.getByRole('heading', { name: 'Refund not found' }).waitFor()
      seen.push(await visit.page.locator('main').textContent())
    }
    expect(new Set(seen).size).toBe(1)
    await api.sql`
      insert into members (merchant_id, account_id, role) values (${instance.merchantId}, ${chairs.owner.accountId}, 'viewer')`
    await using visit = await instance.open(`/refunds/${foreign}`, { by: chairs.owner })
    const { page } = visit
    await visit.go()
    await page.getByText('Refund by Chairs').waitFor()
    await page.click('text=All refunds of Chairs')
    await page.locator(`a[href="/refunds/${foreign}"]`).waitFor()
    await page.selectOption('select', { label: 'Lamps & other lights' })
    await page.locator('article', { hasText: 'Lamps & other lights' }).waitFor()
    expect(await page.locator(`a[href="/refunds/${foreign}"]`).count()).toBe(0)
    await instance.server.sql`
      delete from members where account_id = ${chairs.owner.accountId} and merchant_id = ${instance.merchantId}`
  })

  test('that a refund signer signs it', async () => {
    const { api, sql } = instance.server
    const { merchantId, owner } = await shop(api, 'Signed')
    await sql`update merchant_settings set refund_mode = 'signer' where merchant_id = ${merchantId}`
    await addSigner(sql, {
      ...{
        id: crypto.randomUUID(),
        merchantId,
        chainId: 31337,
        address: `0x${'5'.repeat(40)}`,
        sealedKey: 'v1.gone.x',
      },
      ...{ firstNonce: 0, limits: [] },
    })
    const { id } = await instance.on.createRefund({ of: { merchantId, livemode: false } })
    await using visit = await instance.open('/refunds', { by: owner, script: announcing })
    await visit.go()
    await visit.page.click('text=Signed automatically')
    await visit.page.getByText('Your refund signer signs this refund automatically.').waitFor()
    expect([visit.page.url().endsWith(encodeId('re', id)), await visit.page.locator('.way').count()]).toEqual([true, 0])
  })

  test('that it needs attention, and no longer after it was checked', async () => {
    const id = await instance.made()
    await cancel(instance, id)
    await happen(instance, id, { type: 'stray_transfer_seen', txHash: `0x${'8'.repeat(64)}` })
    await using visit = await instance.open('/refunds')
    const { page } = visit
    await visit.go()
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    await page.click(`a[href="/refunds/${id}"]`)
    await page.getByText('Money was moved unexpectedly').waitFor()
    await press(page, 'Mark as checked')
    await page.locator('.attention').waitFor({ state: 'detached' })
  })

  test('that its outcome is unknown, which a person decides with a confirmation', async () => {
    const uncertain = async (doubt: string) => {
      const id = await instance.made()
      await happen(instance, id, {
        type: 'transaction_sent',
        txHash: `0x${id
          .slice(3)
          .replaceAll(/[^0-9a-f]/g, '0')
          .padStart(64, '7')}`,
      })
      await instance.server.sql`
        update refund_looks set doubt = ${doubt}, person_from = now(), next_look_at = now() + interval '1 day'
        where refund_id = ${decodeId('re', id) ?? ''}`
      return id
    }
    const [paid, notPaid, neverSent] = [
      await uncertain('balance_unclear'),
      await uncertain('balance_unclear'),
      await uncertain('transaction_unknown'),
    ]
    await using visit = await instance.open(`/refunds/${paid}`)
    const { page } = visit
    const says = (text: string) => page.getByText(text).first().waitFor()
    await visit.go()
    await press(page, 'Mark as paid')
    await says('You cannot undo this.')
    await press(page, 'Go back')
    expect((await instance.look(paid)).state).toBe('processing')
    await press(page, 'Mark as paid')
    await press(page, 'Confirm payment')
    await says('Paid. The transaction is final on the chain.')
    expect(await instance.look(paid)).toMatchObject({ state: 'processed', refunded: 1000 })

    await using other = await instance.open(`/refunds/${notPaid}`)
    await other.go()
    await press(other.page, 'Mark as failed')
    await press(other.page, 'Confirm failure')
    await other.page.getByText('This refund was not paid.').waitFor()
    await press(other.page, 'Mark as checked')
    await press(other.page, 'Sign again')
    await other.page.getByText('Choose one way to pay.').waitFor()

    await using third = await instance.open(`/refunds/${neverSent}`)
    await third.go()
    await press(third.page, 'Mark as paid')
    await press(third.page, 'Confirm payment')
    await third.page.getByText('You can decide only when the server cannot.').waitFor()
    await press(third.page, 'Sign again')
    await press(third.page, 'Confirm, sign again')
    await third.page.getByText('Choose one way to pay.').waitFor()
    expect(await instance.look(neverSent)).toMatchObject({ state: 'requires_signature', reserved: 1000 })
  })
})

describe.skipIf(!hasBrowser)('the hash of a transaction sent otherwise can be reported', () => {
  test('with an error for a wrong hash', async () => {
    await using visit = await waiting()
    const { page, id, wallet, says } = visit
    await unfold(page, 'Report a transaction that was already sent')
    for (const wrong of [
      '',
      '0x12',
      'x'.repeat(66),
      `0x${'1'.repeat(65)}`,
      `0x${'1'.repeat(64)} 0x${'2'.repeat(64)}`,
    ]) {
      await name(page, wrong)
      await says('This is not a transaction hash.')
      expect(await page.locator('#hash').getAttribute('aria-describedby')).toBe('fault')
      expect(await page.locator('#hash').evaluate(input => input.matches(':focus'))).toBe(true)
    }
    const used = `0x${'c'.repeat(64)}`
    const other = await instance.made()
    await instance.server.call('POST', `/v1/merchants/${instance.merchant}/refunds/${other}/transaction`, {
      ...{ bearer: instance.owner.bearer, json: { txHash: used } },
    })
    await name(page, used)
    await says('This transaction already pays another refund.')
    await page.route(naming, route => route.abort())
    await name(page, `0x${'d'.repeat(64)}`)
    await says('The server cannot be reached.')
    await page.unroute(naming)
    expect([wallet.methods, (await instance.look(id)).state]).toEqual([[], 'requires_signature'])
    // As copied from the URL of an explorer.
    const sent = await instance.on.send({ to: `0x${'5'.repeat(40)}`, value: '0x1' })
    await name(page, ` https://scan.example/tx/${sent.toUpperCase().replace('0X', '0x')} `)
    await says('Processing')
    expect((await instance.look(id)).txHash).toBe(sent)
  })

  test('but not for a refund canceled in the meantime', async () => {
    await using visit = await waiting()
    const { page, id, says } = visit
    await unfold(page, 'Report a transaction that was already sent')
    await instance.server.call('POST', `/v1/merchants/${instance.merchant}/refunds/${id}/cancel`, {
      bearer: instance.owner.bearer,
    })
    await name(page, `0x${'e'.repeat(64)}`)
    await says('the status of this refund is “canceled”')
    await says('Canceled. Do not send money for this refund.')
  })

  test('a failed refund shows why, refuses its failed hash, can be signed again and paid', async () => {
    await using visit = await waiting()
    const { page, id, wallet, says } = visit
    const wrong = await instance.on.send({ to: `0x${'5'.repeat(40)}`, value: '0x1' })
    await unfold(page, 'Report a transaction that was already sent')
    await name(page, wrong)
    await says('Processing')
    await instance.settle()
    await comeBack(page)
    await says('This refund was not paid.')
    expect((await instance.look(id)).state).toBe('failed')
    await unfold(page, 'Report another transaction')
    await name(page, wrong)
    await says('This is the transaction that has failed.')
    await press(page, 'Sign again')
    await press(page, 'Pay with')
    await says('Processing')
    await instance.settle()
    await comeBack(page)
    await says('Paid. The transaction is final on the chain.')
    expect([wallet.sent.length, (await instance.look(id)).state]).toEqual([1, 'processed'])
  })

  test('a failed refund whose money has moved can be signed again after it was checked', async () => {
    await using visit = await waiting()
    const { page, id, says } = visit
    const { chain, send } = instance.on
    const tooMuch = await send(chain.payment(customer, 1001n))
    await unfold(page, 'Report a transaction that was already sent')
    await name(page, tooMuch)
    await says('Processing')
    await instance.settle()
    await comeBack(page)
    await says('This refund needs your attention.')
    expect(await page.getByRole('button', { name: 'Sign again' }).count()).toBe(0)
    await press(page, 'Mark as checked')
    await press(page, 'Sign again')
    await page.getByRole('button', { name: 'Pay with' }).waitFor()
    expect(await instance.look(id)).toMatchObject({ state: 'requires_signature', reserved: 1000 })
  })

  test('a failed refund cannot be signed again when nothing is left of its payment', async () => {
    await using visit = await waiting()
    const { page, id, says } = visit
    const uuid = decodeId('re', id) ?? ''
    const wrong = await instance.on.send({ to: `0x${'5'.repeat(40)}`, value: '0x1' })
    await unfold(page, 'Report a transaction that was already sent')
    await name(page, wrong)
    await instance.settle()
    await comeBack(page)
    await says('This refund was not paid.')
    const [payment] = await instance.server.sql<{ id: string; asked: number }[]>`
      select payment_id as id, amount_minor::int as asked from refunds where id = ${uuid}`
    const reserve = { type: 'reserve_refund', amountMinor: payment?.asked ?? 0 }
    await instance.server.api.actors.dispatch({ kind: 'payment', actor: payment?.id ?? '', event: reserve })
    await press(page, 'Sign again')
    await says('The payment no longer has this amount')
    await instance.server.api.actors.dispatch({
      ...{ kind: 'payment', actor: payment?.id ?? '', event: { ...reserve, type: 'release_refund' } },
    })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { transferUri } from '../../../src/chain/transfer-uri.ts'
import { decodeId, encodeId } from '../../../src/ids.ts'
import { addSigner } from '../../../src/queries/signer-setup.ts'
import { customer } from '../../chain/refunds/refund-fixture.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { member, shop } from '../../http/people.ts'
import { announcing, openWallet } from './refund-wallet.ts'
import {
  awaitState,
  cancel,
  comeBack,
  confirm,
  happen,
  press,
  type RefundsServer,
  refundsServer,
  unfold,
} from './refunds-server.ts'

let instance: RefundsServer
beforeAll(async () => {
  if (hasBrowser) instance = await refundsServer()
})
afterAll(() => instance?.[Symbol.asyncDispose]())

const lampsOf = () => ({ merchantId: instance.merchantId, path: '', owner: instance.owner })
const naming = '**/transaction'
const name = async (page: Page, hash: string) => {
  await page.getByLabel('Transaction hash').fill(hash)
  await press(page, 'Report transaction')
}

/** A waiting refund, its page, and a wallet. */
const waiting = async () => {
  const id = await instance.made()
  const visit = await instance.open(instance.pathOf(id), { script: announcing })
  const wallet = await openWallet(instance, visit.context)
  await visit.go()
  return { ...visit, id, wallet, says: (text: string) => visit.page.getByText(text).first().waitFor() }
}

describe.skipIf(!hasBrowser)('a refund shows', () => {
  test('its amounts, its network, its payment, its history and its address with checksum', async () => {
    await using visit = await instance.open(instance.pathOf(await instance.made()))
    const { page } = visit
    await visit.go()
    await page.getByRole('heading', { name: 'Refund of $10.00' }).waitFor()
    const facts = await page.locator('.facts').textContent()
    for (const part of ['0.001', 'TUSD', 'Lamp Net']) expect(facts).toContain(part)
    await page.getByRole('listitem').filter({ hasText: 'Destination address set' }).waitFor()
    expect(await page.locator('.facts a[href*="/payments/pay_"]').count()).toBe(1)
    // Copying gives the full address, whatever separates its parts on the screen.
    expect(await page.locator('.facts [data-value]').getAttribute('data-value')).toBe(customer)
    expect(
      await page.evaluate(() => {
        getSelection()?.selectAllChildren(document.querySelector('.facts .address') ?? document.body)
        return String(getSelection())
      }),
    ).toBe(customer)
  })

  test.each([[false], [true]])(
    'a QR code that decodes to the link next to it; in native currency: %p',
    async native => {
      await using visit = await instance.open(instance.pathOf(await instance.made({ native })))
      const { page } = visit
      await visit.go()
      await unfold(page, 'Pay with another wallet')
      await page.locator('.qr').waitFor()
      const drawn = await page.evaluate(async () => {
        const image = document.querySelector<HTMLImageElement>('.qr')
        await image?.decode()
        const canvas = Object.assign(document.createElement('canvas'), { width: 260, height: 260 })
        const pen = canvas.getContext('2d')
        if (!image || !pen) return []
        pen.drawImage(image, 0, 0, 260, 260)
        return [...pen.getImageData(0, 0, 260, 260).data]
      })
      const { chain } = instance.on
      const uri = transferUri({
        ...{ chainId: 31337, tokenAddress: native ? null : chain.token, to: customer, amount: 1000n },
      })
      expect(decodeQR({ width: 260, height: 260, data: Uint8Array.from(drawn) })).toBe(uri)
      expect(await page.locator('.uri').getAttribute('href')).toBe(uri)
    },
  )

  test('to viewers, who can sign it and who the owners are, and nothing to sign', async () => {
    const id = await instance.made()
    await using visit = await instance.open(instance.pathOf(id), {
      by: await member(instance.server.api, lampsOf(), 'viewer'),
      script: announcing,
    })
    await visit.go()
    await visit.page.getByText('An owner or a developer can sign it').waitFor()
    await visit.page.getByText(instance.owner.email).waitFor()
    expect(await visit.page.locator('.wallet-way, .more, .button--danger').count()).toBe(0)
    await using other = await instance.open(instance.pathOf(id), {
      by: await member(instance.server.api, lampsOf(), 'developer'),
    })
    await other.go()
    await other.page.getByText('No wallet was found in this browser.').waitFor()
  })

  test('at the address without a shop, in the shop that it belongs to; nothing of other shops', async () => {
    const { api } = instance.server
    const chairs = await shop(api, 'Chairs')
    const refund = await instance.on.createRefund({ of: { merchantId: chairs.merchantId, livemode: false } })
    const foreign = encodeId('re', refund.id)
    const seen = []
    for (const id of [foreign, encodeId('re', crypto.randomUUID()), 're_1', 'none', '..%2f..']) {
      await using visit = await instance.open(`/refunds/${id}`)
      await visit.go()
      await visit.page.getByText('This record does not exist, or you have no access to it.').waitFor()
      seen.push(await visit.page.locator('main b').textContent())
    }
    expect(new Set(seen).size).toBe(1)
    await api.sql`
      insert into members (merchant_id, account_id, role) values (${instance.merchantId}, ${chairs.owner.accountId}, 'viewer')`
    await using visit = await instance.open(`/refunds/${foreign}`, { by: chairs.owner })
    const { page } = visit
    await visit.go()
    await page.waitForURL(`**/test/refunds/${foreign}`)
    await page.getByRole('heading', { name: 'Refund of $10.00' }).waitFor()
    await page.goto(`${instance.server.url}/refunds`)
    await page.waitForURL('**/test/refunds')
    await page.locator(`a.open[href$="/${foreign}"]`).waitFor()
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
    const { page } = visit
    await visit.go()
    await page.getByRole('row', { name: /Auto-signed/ }).waitFor()
    await page.locator(`a.open[href$="/${encodeId('re', id)}"]`).click()
    await page.getByText('Your refund signer signs this refund').waitFor()
    expect(await page.locator('.wallet-way, .more').count()).toBe(0)
  })

  test('that it needs attention, and no longer after it was checked', async () => {
    const id = await instance.made()
    await cancel(instance, id)
    await happen(instance, id, { type: 'stray_transfer_seen', txHash: `0x${'8'.repeat(64)}` })
    await using visit = await instance.open(instance.pathOf())
    const { page } = visit
    await visit.go()
    await page.getByRole('heading', { name: 'Resolve' }).waitFor()
    await page.locator(`a.open[href$="/${id}"]`).click()
    await page.getByText('Money was moved unexpectedly:').waitFor()
    await confirm(page, 'Mark as checked')
    await page.getByText('This refund needs your attention').waitFor({ state: 'detached' })
    await awaitState(page, 'Canceled')
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
    await using visit = await instance.open(instance.pathOf(paid))
    const { page } = visit
    await visit.go()
    await press(page, 'Mark as paid')
    await page.getByRole('dialog').getByText('You cannot undo this.').waitFor()
    await press(page, 'Back')
    expect((await instance.look(paid)).state).toBe('processing')
    await confirm(page, 'Mark as paid', 'Confirm payment')
    await awaitState(page, 'Refunded')
    expect(await instance.look(paid)).toMatchObject({ state: 'processed', refunded: 1000 })

    await using other = await instance.open(instance.pathOf(notPaid))
    await other.go()
    await confirm(other.page, 'Mark as failed', 'Confirm failure')
    await other.page.getByText('This refund was not paid').waitFor()
    await confirm(other.page, 'Mark as checked')
    await confirm(other.page, 'Sign again')
    await other.page.getByText('Choose one way to pay.').waitFor()

    await using third = await instance.open(instance.pathOf(neverSent))
    await third.go()
    await confirm(third.page, 'Mark as paid', 'Confirm payment')
    await third.page.getByText('You can decide only when the server cannot.').waitFor()
    await third.page.keyboard.press('Escape')
    await confirm(third.page, 'Sign again', 'Confirm, sign again')
    await third.page.getByText('Choose one way to pay.').waitFor()
    expect(await instance.look(neverSent)).toMatchObject({ state: 'requires_signature', reserved: 1000 })
  })

  test('and is canceled, which frees its amount', async () => {
    const id = await instance.made()
    await using visit = await instance.open(instance.pathOf(id))
    await visit.go()
    await confirm(visit.page, 'Cancel refund')
    await awaitState(visit.page, 'Canceled')
    expect(await instance.look(id)).toMatchObject({ state: 'canceled', reserved: 0 })
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
      const input = page.getByLabel('Transaction hash')
      expect(await input.getAttribute('aria-describedby')).toMatch(/-error /)
      expect(await input.evaluate(each => each.matches(':focus'))).toBe(true)
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
    await says('The transaction was sent')
    expect((await instance.look(id)).txHash).toBe(sent)
  })

  test('but not for a refund canceled in the meantime', async () => {
    const id = await instance.made()
    await using visit = await instance.open(instance.pathOf(id))
    // The page learns of it only by the refusal.
    await visit.context.route('**/stream?*', route => route.abort())
    const { page } = visit
    await visit.go()
    await unfold(page, 'Report a transaction that was already sent')
    await cancel(instance, id)
    await name(page, `0x${'e'.repeat(64)}`)
    await page.getByText('the status of this refund is “canceled”').first().waitFor()
    await awaitState(page, 'Canceled')
  })

  test('a failed refund shows why, refuses its failed hash, can be signed again and paid', async () => {
    await using visit = await waiting()
    const { page, id, wallet, says } = visit
    const wrong = await instance.on.send({ to: `0x${'5'.repeat(40)}`, value: '0x1' })
    await unfold(page, 'Report a transaction that was already sent')
    await name(page, wrong)
    await says('The transaction was sent')
    await instance.settle()
    await comeBack(page)
    await says('This refund was not paid')
    expect((await instance.look(id)).state).toBe('failed')
    await unfold(page, 'Report another transaction')
    await name(page, wrong)
    await says('This is the transaction that has failed.')
    await confirm(page, 'Sign again')
    await press(page, 'Pay with')
    await says('The transaction was sent')
    await instance.settle()
    await comeBack(page)
    await awaitState(page, 'Refunded')
    expect([wallet.sent.length, (await instance.look(id)).state]).toEqual([1, 'processed'])
  })

  test('a failed refund whose money has moved can be signed again after it was checked', async () => {
    await using visit = await waiting()
    const { page, id, says } = visit
    const { chain, send } = instance.on
    const tooMuch = await send(chain.payment(customer, 1001n))
    await unfold(page, 'Report a transaction that was already sent')
    await name(page, tooMuch)
    await says('The transaction was sent')
    await instance.settle()
    await comeBack(page)
    await says('This refund needs your attention')
    expect(await page.getByRole('button', { name: 'Sign again' }).count()).toBe(0)
    await confirm(page, 'Mark as checked')
    await confirm(page, 'Sign again')
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
    await says('This refund was not paid')
    const [payment] = await instance.server.sql<{ id: string; asked: number }[]>`
      select payment_id as id, amount_minor::int as asked from refunds where id = ${uuid}`
    const reserve = { type: 'reserve_refund', amountMinor: payment?.asked ?? 0 }
    await instance.server.api.actors.dispatch({ kind: 'payment', actor: payment?.id ?? '', event: reserve })
    await confirm(page, 'Sign again')
    await says('The payment no longer has this amount')
    await instance.server.api.actors.dispatch({
      ...{ kind: 'payment', actor: payment?.id ?? '', event: { ...reserve, type: 'release_refund' } },
    })
  })
})

describe.skipIf(!hasBrowser)('the first page of a shop', () => {
  test('counts the refunds that wait for a signature, and leads to them', async () => {
    const waits = await instance.made()
    await using visit = await instance.open(instance.pathOf().replace(/refunds$/, 'home'))
    const { page } = visit
    await visit.go()
    const ask = page.getByText(/^\d+ refunds? needs? you$/)
    const countOf = async () => Number.parseInt((await ask.textContent()) ?? '', 10)
    await ask.waitFor()
    const before = await countOf()
    expect(before).toBeGreaterThan(0)
    await instance.made()
    await page.getByText(`${before + 1} refunds need you`).waitFor({ timeout: 30_000 })
    await cancel(instance, waits)
    await page
      .getByText(before === 1 ? '1 refund needs you' : `${before} refunds need you`)
      .waitFor({ timeout: 30_000 })
    await page.getByRole('link', { name: /^Open: \d+ refunds? needs? you/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Refunds' }).waitFor()
  })
})

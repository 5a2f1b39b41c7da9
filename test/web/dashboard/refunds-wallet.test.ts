import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { announcing, inWindow, openWallet, WalletError, type WalletQuestion } from './refund-wallet.ts'
import { awaitState, cancel, comeBack, press, type RefundsServer, refundsServer } from './refunds-server.ts'

let instance: RefundsServer
beforeAll(async () => {
  if (hasBrowser) instance = await refundsServer()
})
afterAll(() => instance?.[Symbol.asyncDispose]())

type Answering = Parameters<typeof openWallet>[2]

/** A waiting refund, its page, and a wallet. */
const waiting = async (answering?: Answering, more: { native?: boolean; script?: string } = {}) => {
  const id = await instance.made({ ...more })
  const visit = await instance.open(instance.pathOf(id), { script: more.script ?? announcing })
  const wallet = await openWallet(instance, visit.context, answering)
  await visit.go()
  return { ...visit, id, wallet, says: (text: string) => visit.page.getByText(text).first().waitFor() }
}

const pay = (page: Page) => press(page, 'Pay with')
const payButtons = (page: Page) => page.getByRole('button', { name: 'Pay with' }).count()
const noteOf = (page: Page, id: string) => page.evaluate(`localStorage.getItem('paymachine.refund.${id}')`)
const isSending = ({ method }: WalletQuestion) => method === 'eth_sendTransaction'
const naming = '**/transaction'
const until200 = (page: Page) => page.waitForResponse(answer => answer.url().endsWith('/transaction') && answer.ok())

describe.skipIf(!hasBrowser)('with a wallet in the browser', () => {
  test.each([
    ['that announces itself', announcing, 'Lamp Wallet', false],
    ['that is in window.ethereum', inWindow, 'Browser wallet', true],
  ])('%s it is paid exactly as prepared, once, and shown as paid', async (_, script, called, native) => {
    await using visit = await waiting(undefined, { script, native })
    const { page, id, wallet, says } = visit
    const { json } = await instance.server.call('GET', `/v1/merchants/${instance.merchant}/refunds/${id}`, {
      bearer: instance.owner.bearer,
    })
    const { to, data, value } = (json as { unsignedTransaction: Record<string, string> }).unsignedTransaction
    await press(page, `Pay with ${called}`)
    await says('The transaction was sent')
    const hex = `0x${BigInt(value ?? '').toString(16)}`
    expect(wallet.transactions).toEqual([{ from: expect.any(String), chainId: '0x7a69', to, data, value: hex }])
    expect(await noteOf(page, id)).toBeNull()
    await instance.settle()
    await comeBack(page)
    await awaitState(page, 'Refunded')
    expect(await instance.look(id)).toMatchObject({
      ...{ state: 'processed', txHash: wallet.sent[0], events: ['refund.processed'], refunded: 1000 },
    })
    expect([wallet.sent.length, visit.consoleMessages]).toEqual([1, []])
  })

  test('that rejects the request, nothing is sent, and the customer can try again', async () => {
    let refused = 0
    await using visit = await waiting((question, usual) => {
      if (isSending(question) && refused++ === 0) throw new WalletError(4001)
      return usual()
    })
    const { page, id, wallet, says } = visit
    await pay(page)
    await says('You rejected the request in the wallet. Nothing was sent.')
    expect(await noteOf(page, id)).toBeNull()
    await pay(page)
    await says('The transaction was sent')
    expect(wallet.sent).toHaveLength(1)
  })

  /** The page is left while the wallet is open, and opened again before the wallet answers. */
  const reopened = async () => {
    const answer = Promise.withResolvers<void>()
    const visit = await waiting(async (question, usual) => {
      if (isSending(question)) await answer.promise
      return usual()
    })
    const { page, id, wallet, says } = visit
    await pay(page)
    await until(() => wallet.methods.includes('eth_sendTransaction'))
    await page.locator('.crumb').click()
    await page.locator(`a.open[href$="/${id}"]`).click()
    await says('Waiting for your wallet.')
    const isDisabled = await page.getByRole('button', { name: 'Pay with' }).getAttribute('aria-disabled')
    expect(isDisabled).toBe('true')
    return { ...visit, answer }
  }

  test('that pays after the page was left, the page shows the payment when it is opened again', async () => {
    await using visit = await reopened()
    const named = until200(visit.page)
    visit.answer.resolve()
    await named
    await visit.says('The transaction was sent')
    expect([await payButtons(visit.page), visit.wallet.sent.length]).toEqual([0, 1])
  })

  test('that rejects after the page was left, the customer can try again', async () => {
    await using visit = await reopened()
    const { page, id, wallet, says, answer } = visit
    answer.reject(new WalletError(4001))
    await page.locator('button[aria-disabled=false]', { hasText: 'Pay with' }).waitFor()
    await pay(page)
    await says('You rejected the request in the wallet. Nothing was sent.')
    expect([await noteOf(page, id), wallet.sent]).toEqual([null, []])
  })

  test('on another network, the wallet is asked to switch, and pays nothing if it does not', async () => {
    const notSwitching = ({ method }: WalletQuestion, usual: () => Promise<unknown>) =>
      method === 'wallet_switchEthereumChain' ? Promise.resolve(null) : usual()
    await using visit = await waiting(notSwitching)
    visit.wallet.chainId = '0x1'
    await pay(visit.page)
    await visit.says('Nothing was sent: your wallet is on another network. Switch it to Lamp Net, then try again.')
    expect(visit.wallet.sent).toEqual([])
    await using switching = await waiting()
    switching.wallet.chainId = '0x1'
    await pay(switching.page)
    await switching.says('The transaction was sent')
    expect(switching.wallet.methods).toContain('wallet_switchEthereumChain')
  })

  test('that does not know the network, the network is added if we know a public node, and otherwise the page says what to do', async () => {
    let known = false
    const withoutNetwork = ({ method }: WalletQuestion, usual: () => Promise<unknown>) => {
      if (method === 'wallet_switchEthereumChain' && !known) throw new WalletError(4902)
      if (method !== 'wallet_addEthereumChain') return usual()
      known = true
      visit.wallet.chainId = '0x7a69'
      return Promise.resolve(null)
    }
    await using visit = await waiting(withoutNetwork)
    const { page, wallet, says } = visit
    wallet.chainId = '0x1'
    await pay(page)
    await says('your wallet does not know Lamp Net (chain ID 31337). Add the network')
    expect(wallet.methods).not.toContain('wallet_addEthereumChain')
    await page.route('**/dashboard/**', async route => {
      if (route.request().resourceType() !== 'document') return route.continue()
      const answer = await route.fetch()
      const node = '&#34;publicNode&#34;:&#34;https://node.example&#34;'
      return route.fulfill({
        response: answer,
        body: (await answer.text()).replace('&#34;publicNode&#34;:null', node),
      })
    })
    await page.reload()
    await pay(page)
    await says('The transaction was sent')
    expect(wallet.methods).toContain('wallet_addEthereumChain')
  })

  // Of -32002, wallets say that they are busy, and some that their node has not answered.
  test.each([-32000, -32002])('that returns %p, nothing is sent again before a person has checked', async code => {
    let failed = 0
    await using visit = await waiting((question, usual) => {
      if (isSending(question) && failed++ === 0) throw new WalletError(code, 'the pipe is broken')
      return usual()
    })
    const { page, id, wallet, says } = visit
    await pay(page)
    await says('It is not known whether this refund was sent')
    await says('the pipe is broken')
    await page.reload()
    await says('It is not known whether this refund was sent')
    expect([await payButtons(page), await noteOf(page, id)]).toEqual([0, expect.any(String)])
    await press(page, 'Nothing was sent, sign again')
    await pay(page)
    await says('The transaction was sent')
    expect(wallet.sent).toHaveLength(1)
  })
})

describe.skipIf(!hasBrowser)('once a wallet has sent the transaction, nothing is sent twice', () => {
  test('when the server is unreachable: the hash is reported after a reload', async () => {
    await using visit = await waiting()
    const { page, id, wallet, says } = visit
    await page.route(naming, route => route.abort())
    await pay(page)
    await says('Sent. Do not send it again.')
    await page.reload()
    await says('Sent. Do not send it again.')
    expect([await payButtons(page), (await instance.look(id)).state]).toEqual([0, 'requires_signature'])
    await page.unroute(naming)
    await Promise.all([until200(page), page.reload()])
    await says('The transaction was sent')
    expect(await instance.look(id)).toMatchObject({ state: 'processing', txHash: wallet.sent[0] })
    expect([wallet.sent.length, await noteOf(page, id)]).toEqual([1, null])
  })

  test('when the response is lost and only the list is opened afterwards', async () => {
    await using visit = await waiting()
    const { page, id, wallet, says } = visit
    await page.route(naming, async route => {
      await route.fetch()
      // The page may have been left, or this was taken away, in the meantime.
      await route.abort().catch(() => {})
    })
    await pay(page)
    // The server reports it too.
    await says('The transaction was sent')
    expect(await instance.look(id)).toMatchObject({ state: 'processing', txHash: wallet.sent[0] })
    await page.unroute(naming)
    await Promise.all([until200(page), page.goto(`${instance.server.url}${instance.pathOf()}`)])
    await until(async () => (await noteOf(page, id)) === null)
    expect(wallet.sent).toHaveLength(1)
  })

  test('when the window is closed before the wallet answers: the transaction is found on the chain', async () => {
    const never = new Promise<unknown>(() => {})
    await using visit = await waiting((question, usual) => (isSending(question) ? usual().then(() => never) : usual()))
    const { page, id, wallet, context } = visit
    await pay(page)
    await until(() => wallet.sent.length === 1)
    await page.close()
    const next = await context.newPage()
    await next.goto(`${instance.server.url}${instance.pathOf(id)}`)
    await next.getByText('It is not known whether this refund was sent').waitFor()
    expect(await payButtons(next)).toBe(0)
    await until(async () => {
      await instance.settle()
      return (await instance.look(id)).state === 'processed'
    })
    await comeBack(next)
    await awaitState(next, 'Refunded')
    expect([await instance.look(id), await noteOf(next, id)]).toMatchObject([{ txHash: wallet.sent[0] }, null])
  })

  test('when another transaction was reported meanwhile: the sent one is kept', async () => {
    await using visit = await waiting()
    const { page, id, wallet, says } = visit
    await page.route(naming, route => route.abort())
    await pay(page)
    await says('Sent. Do not send it again.')
    const other = await instance.on.send({ to: wallet.sent[0]?.slice(0, 42), value: '0x1' })
    await instance.server.call('POST', `/v1/merchants/${instance.merchant}/refunds/${id}/transaction`, {
      ...{ bearer: instance.owner.bearer, json: { txHash: other } },
    })
    await page.unroute(naming)
    await page.reload()
    await says('A transaction was sent that does not pay this refund')
    await page.getByText(wallet.sent[0] ?? '').waitFor()
    await press(page, 'Mark as checked')
    expect(await noteOf(page, id)).toBeNull()
  })

  test('when two windows are open: the wallet is asked once', async () => {
    const answer = Promise.withResolvers<void>()
    await using visit = await waiting(async (question, usual) => {
      if (isSending(question)) await answer.promise
      return usual()
    })
    const { page, id, wallet, context, says } = visit
    const second = await context.newPage()
    await second.goto(`${instance.server.url}${instance.pathOf(id)}`)
    await second.getByRole('button', { name: 'Pay with' }).waitFor()
    await pay(page)
    await until(() => wallet.methods.includes('eth_sendTransaction'))
    // Without a click there.
    await second.getByText('It is not known whether this refund was sent').waitFor()
    expect(await payButtons(second)).toBe(0)
    await press(second, 'Nothing was sent, sign again')
    await second.getByText('Another window of this browser has asked a wallet to pay this refund.').waitFor()
    expect([await payButtons(second), await noteOf(page, id)]).toEqual([0, expect.any(String)])
    answer.resolve()
    await says('The transaction was sent')
    await comeBack(second)
    await second.getByText('The transaction was sent').first().waitFor()
    expect(wallet.sent).toHaveLength(1)
  })

  test('when the button is clicked in two windows at the same moment: the wallet is asked once', async () => {
    const pressed = Promise.withResolvers<void>()
    await using visit = await waiting(async ({ method }, usual) => {
      if (method === 'eth_requestAccounts') await pressed.promise
      return usual()
    })
    const { page, id, wallet, context, says } = visit
    const second = await context.newPage()
    await second.goto(`${instance.server.url}${instance.pathOf(id)}`)
    await Promise.all([page, second].map(each => each.getByRole('button', { name: 'Pay with' }).waitFor()))
    await Promise.all([pay(page), pay(second)])
    pressed.resolve()
    await says('The transaction was sent')
    await comeBack(second)
    await second.getByText('The transaction was sent').first().waitFor()
    expect([wallet.sent.length, wallet.methods.filter(method => method === 'eth_sendTransaction').length]).toEqual([
      1, 1,
    ])
  })

  test('when another member cancels the refund while the wallet is asked for an account: it is asked for nothing more', async () => {
    const pressed = Promise.withResolvers<void>()
    await using visit = await waiting(async ({ method }, usual) => {
      if (method === 'eth_requestAccounts') await pressed.promise
      return usual()
    })
    const { page, id, wallet } = visit
    await pay(page)
    await until(() => wallet.methods.includes('eth_requestAccounts'))
    await cancel(instance, id)
    pressed.resolve()
    await awaitState(page, 'Canceled')
    expect([wallet.methods.includes('eth_sendTransaction'), await noteOf(page, id)]).toEqual([false, null])
  })

  test('when the page is closed before the wallet answers: the browser asks first', async () => {
    const answer = Promise.withResolvers<void>()
    await using visit = await waiting(async (question, usual) => {
      if (isSending(question)) await answer.promise
      return usual()
    })
    const { page, wallet, says } = visit
    const asked: string[] = []
    page.on('dialog', async dialog => {
      asked.push(dialog.type())
      await dialog.dismiss()
    })
    await pay(page)
    await until(() => wallet.methods.includes('eth_sendTransaction'))
    await page.close({ runBeforeUnload: true })
    await until(() => asked.length > 0)
    expect(asked).toEqual(['beforeunload'])
    answer.resolve()
    await says('The transaction was sent')
    expect(wallet.sent).toHaveLength(1)
  })

  test('when the browser forbids storage: the note lasts as long as the page', async () => {
    const answer = Promise.withResolvers<void>()
    const forbidding = `${announcing}
      Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('no', 'SecurityError') } })`
    await using visit = await waiting(
      async (question, usual) => {
        if (!isSending(question)) return usual()
        await answer.promise
        throw new WalletError(-32000, 'the pipe is broken')
      },
      { script: forbidding },
    )
    const { page, id, says } = visit
    await pay(page)
    await says('this browser cannot store the transaction')
    answer.resolve()
    await says('It is not known whether this refund was sent')
    await page.locator('.crumb').click()
    await page.locator(`a.open[href$="/${id}"]`).click()
    await says('It is not known whether this refund was sent')
    expect(await payButtons(page)).toBe(0)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { sandboxContracts } from '../../../src/sandbox/contracts.ts'
import { callNode } from '../../../src/sandbox/node-client.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { addWallets, type FakeWallet, ProviderError, type WalletRequest } from './fake-wallet.ts'
import { axeFaults, faultsOf } from './gates.ts'
import { accountsOf, awaitStatus, beginPayment, type PayServer, payServer, statusOn } from './pay-server.ts'

let to: PayServer
let accounts: readonly string[]

beforeAll(async () => {
  if (!hasBrowser) return
  to = await payServer()
  accounts = await accountsOf(to)
  await to.fund(accounts[1] ?? '', 1_000_000_000n)
})
afterAll(() => to?.[Symbol.asyncDispose]())

type Names = readonly { readonly name: string; readonly chainId?: number; readonly account?: string }[]

/** The page of a payment, in a browser with these wallets. */
const open = async (names: Names, asset = 'TUSD', link: object = {}) => {
  const visit = await to.visit()
  const wallets = await addWallets(
    to,
    visit.context,
    names.map(each => ({ account: accounts[1] ?? '', ...each })),
  )
  const id = await beginPayment(visit.page, to.server.url + (await to.link(link)), asset)
  const [first] = wallets
  if (!first) throw new Error('There is no wallet')
  return { ...visit, id, wallets, wallet: first, [Symbol.asyncDispose]: () => visit.context.close() }
}

const press = (page: Page, name: string) => page.getByTestId('wallet').filter({ hasText: name }).click()

const noteOn = async (page: Page, title: string) => {
  await page.getByTestId('wallet-note').getByText(title, { exact: true }).waitFor()
  return (await page.getByTestId('wallet-note').textContent()) ?? ''
}

const refusing = (method: string, code: number) => (request: WalletRequest) => {
  if (request.method === method) throw new ProviderError(code)
  return undefined
}

const nothingSent = async (page: Page, { sent }: FakeWallet) => {
  expect(sent).toEqual([])
  expect(await statusOn(page)).toBe('pay')
}

describe.skipIf(!hasBrowser)('a wallet in the browser', () => {
  test('pays dollars: one transfer, exactly what the page shows', async () => {
    await using visit = await open([{ name: 'Lamp Wallet' }])
    const { page, wallet, complaints } = visit
    const address = (await page.getByTestId('deposit-address').getAttribute('data-value')) ?? ''
    await press(page, 'Lamp Wallet')
    await awaitStatus(page, 'paid')
    const word = (hex: string) => hex.padStart(64, '0')
    expect(wallet.sent).toEqual([
      {
        ...{ from: accounts[1] ?? '', to: expect.any(String) as unknown as string, value: '0x0', chainId: '0x7a69' },
        data: `0xa9059cbb${word(address.slice(2).toLowerCase())}${word((10_000_000).toString(16))}`,
      },
    ])
    expect(wallet.sent[0]?.to?.toLowerCase()).toBe(sandboxContracts.token)
    // Once when it is chosen, and once more right before it sends.
    expect(wallet.asked.filter(method => method === 'eth_chainId')).toHaveLength(2)
    expect(wallet.asked.indexOf('eth_sendTransaction')).toBe(wallet.asked.lastIndexOf('eth_chainId') + 1)
    const rows = await to.server.sql`select tx_hash from submissions`
    expect(rows.length).toBeGreaterThan(0)
    expect(complaints).toEqual([])
  })

  test('pays ether: the rounded amount that the page shows', async () => {
    await using visit = await open([{ name: 'Lamp Wallet' }], 'ETH')
    const { page, wallet } = visit
    const units = BigInt((await page.getByTestId('amount-due').getAttribute('data-value')) ?? '')
    await press(page, 'Lamp Wallet')
    await awaitStatus(page, 'paid')
    expect(wallet.sent[0]).toMatchObject({ value: `0x${units.toString(16)}`, data: '0x' })
  })

  test('pays the largest amount of a link to the last unit that the page shows', async () => {
    const [, , , account = ''] = accounts
    await callNode(to.sandbox.url, 'anvil_setBalance', account, `0x${(10n ** 30n).toString(16)}`)
    const largest = { amountMinor: Number.MAX_SAFE_INTEGER }
    await using visit = await open([{ name: 'Lamp Wallet', account }], 'ETH', largest)
    const { page, wallet } = visit
    expect(await page.getByTestId('amount-due').textContent()).toBe('36028797018.963964\u00a0ETH')
    await press(page, 'Lamp Wallet')
    await awaitStatus(page, 'paid')
    expect(BigInt(wallet.sent[0]?.value ?? 0)).toBe(36_028_797_018_963_964n * 10n ** 12n)
    await page.getByTestId('receipt').click()
    await page.getByText('$90,071,992,547,409.91').first().waitFor()
  })

  test('of two, the one that is pressed is asked, and the other one nothing', async () => {
    await using visit = await open([{ name: 'Lamp Wallet' }, { name: 'Other Wallet' }])
    const { page, wallets } = visit
    await page.getByTestId('wallet').nth(1).waitFor()
    expect(await page.getByTestId('wallet').allTextContents()).toEqual(['Lamp Wallet', 'Other Wallet'])
    expect(await axeFaults(page)).toEqual([])
    await press(page, 'Other Wallet')
    await awaitStatus(page, 'seen')
    expect(wallets.map(({ asked }) => asked.length > 0)).toEqual([false, true])
  })

  test.each([
    ['eth_requestAccounts', 4001, 'You declined in the wallet'],
    ['eth_sendTransaction', 4001, 'You declined in the wallet'],
    ['eth_requestAccounts', -32002, 'Lamp Wallet is already asking'],
    ['eth_sendTransaction', -32002, 'Lamp Wallet is already asking'],
    ['eth_sendTransaction', -32000, 'Lamp Wallet could not send it'],
    ['eth_sendTransaction', -32603, 'Lamp Wallet gave no clear answer'],
  ])('that answers %s with %p, the page says what that means', async (method, code, title) => {
    await using visit = await open([{ name: 'Lamp Wallet' }])
    const { page, wallet } = visit
    wallet.answer = refusing(method, code)
    await press(page, 'Lamp Wallet')
    const note = await noteOn(page, title)
    if (code !== -32603) expect(note).toMatch(/Nothing was sent|Nothing was sent yet/)
    expect(await axeFaults(page)).toEqual([])
    await nothingSent(page, wallet)
    // The next try works.
    wallet.answer = () => undefined
    await press(page, 'Lamp Wallet')
    await awaitStatus(page, 'seen')
  })

  test('on another network is asked to switch, and pays then', async () => {
    await using visit = await open([{ name: 'Lamp Wallet', chainId: 1 }])
    const { page, wallet } = visit
    await press(page, 'Lamp Wallet')
    const note = await noteOn(page, 'Lamp Wallet is on Ethereum')
    expect(note).toContain('You are paying on Sandbox')
    expect(await faultsOf(page)).toEqual([])
    await nothingSent(page, wallet)
    await page.getByRole('button', { name: 'Switch to Sandbox' }).click()
    await awaitStatus(page, 'seen')
    expect(wallet.chainId).toBe(31337)
  })

  test('that is switched in the wallet itself goes on by itself', async () => {
    await using visit = await open([{ name: 'Lamp Wallet', chainId: 999_999 }])
    const { page, wallet } = visit
    await press(page, 'Lamp Wallet')
    await noteOn(page, 'Lamp Wallet is on another network')
    wallet.chainId = 31337
    await wallet.tellChain()
    await awaitStatus(page, 'seen')
  })

  test('that does not know the network is asked to add it', async () => {
    await using visit = await open([{ name: 'Lamp Wallet', chainId: 1 }])
    const { page, wallet } = visit
    let added: unknown
    wallet.answer = ({ method, params = [] }) => {
      if (method === 'wallet_addEthereumChain') {
        added = params[0]
        return null
      }
      if (method === 'wallet_switchEthereumChain' && !added) throw new ProviderError(4902)
      return undefined
    }
    await press(page, 'Lamp Wallet')
    await page.getByRole('button', { name: 'Switch to Sandbox' }).click()
    await awaitStatus(page, 'seen')
    expect(added).toEqual({
      ...{ chainId: '0x7a69', chainName: 'Sandbox', rpcUrls: [to.sandbox.url] },
      nativeCurrency: { name: 'ETH', symbol: 'ETH', decimals: 18 },
    })
  })

  test('whose network changes while it is asked sends nothing there', async () => {
    await using visit = await open([{ name: 'Lamp Wallet' }])
    const { page, wallet } = visit
    let looks = 0
    wallet.answer = ({ method }) => (method === 'eth_chainId' && ++looks > 1 ? '0x1' : undefined)
    await press(page, 'Lamp Wallet')
    await noteOn(page, 'Lamp Wallet is on Ethereum')
    await nothingSent(page, wallet)
  })

  test('with too little money sends nothing', async () => {
    await using visit = await open([{ name: 'Lamp Wallet', account: accounts[2] ?? '' }])
    const { page, wallet } = visit
    await to.fund(accounts[2] ?? '', 9_990_000n)
    await press(page, 'Lamp Wallet')
    const note = await noteOn(page, 'Too little TUSD')
    expect(note).toContain('You have 9.99\u00a0TUSD on Sandbox; 10.00\u00a0TUSD is due.')
    await nothingSent(page, wallet)
  })

  test.each([
    ['other blocks', 'eth_getBlockByNumber', { hash: `0x${'1'.repeat(64)}` }],
    ['no contract of the token', 'eth_getCode', '0x'],
  ])('of three, the one that lies about its network and has %s sends nothing', async (_, method, lie) => {
    await using visit = await open([{ name: 'Honest' }, { name: 'Liar' }, { name: 'Third' }])
    const { page, wallets } = visit
    const [, liar] = wallets
    if (!liar) throw new Error('There is no liar')
    liar.answer = request => {
      if (request.method === method) return lie
      // A wallet whose node does not know old blocks.
      if (method === 'eth_getCode' && request.method === 'eth_getBlockByNumber') throw new ProviderError(-32000)
      return undefined
    }
    await press(page, 'Liar')
    expect(await noteOn(page, 'Liar is not connected to Sandbox')).toContain('Money sent from it could be lost')
    await nothingSent(page, liar)
    await press(page, 'Honest')
    await awaitStatus(page, 'seen')
  })

  test('that sends something else than it was asked is found out', async () => {
    await using visit = await open([{ name: 'Lamp Wallet' }])
    const { page, wallet } = visit
    const hash = `0x${'2'.repeat(64)}`
    wallet.answer = ({ method }) => {
      if (method === 'eth_sendTransaction') return hash
      if (method !== 'eth_getTransactionByHash') return undefined
      return { from: accounts[1], to: accounts[3], input: '0x', value: '0x1', chainId: '0x7a69' }
    }
    await press(page, 'Lamp Wallet')
    expect(await noteOn(page, 'Lamp Wallet sent something else')).toContain(hash)
    expect(await page.getByTestId('wallet').first().getAttribute('aria-disabled')).toBe('true')
  })

  test('that has sent is not asked twice: after a reload the page says that it waits', async () => {
    await using visit = await open([{ name: 'Lamp Wallet' }])
    const { page, wallet } = visit
    wallet.answer = ({ method }) => (method === 'eth_sendTransaction' ? `0x${'3'.repeat(64)}` : undefined)
    await press(page, 'Lamp Wallet')
    await page.getByText('Your wallet has sent it').waitFor()
    await page.getByTestId('wallet').click({ force: true })
    await page.reload()
    await page.getByText('Your wallet has sent it').waitFor()
    expect(wallet.asked.filter(method => method === 'eth_sendTransaction')).toHaveLength(1)
  })

  test('with the longest name that is shown leaves the page as wide as the screen', async () => {
    await using visit = await open([{ name: 'A wallet with a name as long as a sentence', chainId: 1 }])
    const { page } = visit
    await page.setViewportSize({ width: 360, height: 740 })
    await press(page, 'A wallet')
    await page.getByRole('button', { name: 'Switch to Sandbox' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
  })

  test('with a name that looks like markup has a name', async () => {
    await using visit = await open([{ name: '<img src=x onerror=alert(1)>' }])
    const { page } = visit
    await page.getByTestId('wallet').getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(await page.locator('.wallets img').count()).toBe(1)
  })

  test('that is older than the announcements is found where such wallets stand', async () => {
    await using visit = await to.visit()
    await visit.context.addInitScript(
      `window.ethereum = { request: async () => { throw Object.assign(new Error('no'), { code: 4001 }) } }`,
    )
    const { page } = visit
    await beginPayment(page, to.server.url + (await to.link()))
    await press(page, 'Browser wallet')
    await noteOn(page, 'You declined in the wallet')
  })
})

test.skipIf(!hasBrowser)('without a wallet the page says how to pay, and nothing moves', async () => {
  await using visit = await to.visit()
  const { page } = visit
  await page.addInitScript(`
    window.shift = 0
    new PerformanceObserver(list => { for (const each of list.getEntries()) window.shift += each.value })
      .observe({ type: 'layout-shift', buffered: true })`)
  await beginPayment(page, to.server.url + (await to.link()))
  await page.getByText('No wallet found in this browser.').waitFor()
  await until(async () => (await page.evaluate('document.readyState')) === 'complete')
  expect(await page.evaluate('window.shift')).toBe(0)
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import type { Browser } from 'playwright-core'
import { sandboxContracts } from '../../../src/sandbox/contracts.ts'
import { anvil, type TestChain } from '../../harness/anvil.ts'
import { hasBrowser, openBrowser } from '../../harness/browser.ts'
import { type Database, database } from '../../harness/database.ts'
import { dataFolder } from '../../harness/embedded-parent.ts'
import { startMain } from '../../harness/main.ts'
import { unusedPort } from '../../harness/unused-port.ts'
import { awaitStatus, beginPayment } from './pay-server.ts'

let browser: Browser
let db: Database
let chain: TestChain

beforeAll(async () => {
  if (!hasBrowser) return
  browser = await openBrowser()
  db = await database()
  chain = await anvil()
})
afterAll(async () => {
  await browser?.close()
  await chain?.[Symbol.asyncDispose]()
  await db?.[Symbol.asyncDispose]()
})

const wordOf = (hex: string): string => hex.replace(/^0x/, '').padStart(64, '0')

/** Ten dollars to the address, from an account that no server knows. */
const pay = async (address: string, units = 10_000_000n) => {
  const [, payer, , other] = chain.accounts
  const to = sandboxContracts.token
  const amount = wordOf(units.toString(16))
  await chain.send({ from: payer, to, data: `0x40c10f19${wordOf(other ?? '')}${amount}` })
  await chain.send({ from: other, to, data: `0xa9059cbb${wordOf(address)}${amount}` })
}

/** A link of a new merchant, by the API alone. */
const makeLink = async (url: string): Promise<string> => {
  const ask = async (path: string, json: object, bearer?: string) => {
    const headers = {
      'content-type': 'application/json',
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(json) })
    return (await answer.json()) as Record<string, never>
  }
  const email = `${crypto.randomUUID()}@lamps.example`
  const account = await ask('/v1/auth/sign-up', { email, password: 'correct horse battery', merchantName: 'Lamps' })
  const { accessToken, merchants } = account as unknown as { accessToken: string; merchants: { id: string }[] }
  const made = await ask(
    `/v1/merchants/${merchants[0]?.id}/payment-links?livemode=false`,
    { amountMinor: 1_000, currency: 'USD', title: 'A lamp' },
    accessToken,
  )
  return (made as unknown as { id: string }).id
}

test.skipIf(!hasBrowser)(
  'a server is killed under an open page and started again: the page says so, and misses nothing',
  async () => {
    await using folder = dataFolder()
    const port = String(await unusedPort())
    const env = {
      ...{ DATABASE_URL: db.url, DATA_DIR: folder.path, PORT: port, SANDBOX: 'on', SANDBOX_RPC_URL: chain.url },
      ...{ SECRET_KEY: 'a secret that only this test knows of, 1234', SIGN_UP: 'open' },
    }
    const first = await startMain(env)
    const context = await browser.newContext({ locale: 'en-US' })
    const page = await context.newPage()
    await beginPayment(page, `${first.url}/pay/${await makeLink(first.url)}`)
    const address = (await page.getByTestId('deposit-address').getAttribute('data-value')) ?? ''
    first.child.kill('SIGKILL')
    await first.exited
    const banner = page.getByText('No connection since')
    await banner.waitFor()
    await pay(address)
    await using _second = await startMain(env)
    await awaitStatus(page, 'paid', 60_000)
    expect(await banner.isVisible()).toBe(false)
    await context.close()
  },
)

/** Passes everything on, and cuts all connections every second. */
const cuttingProxy = async (target: string) => {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(from)
          to.destroy()
        })
      from.pipe(to)
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  let cuts = 0
  const cutting = setInterval(() => {
    cuts++
    for (const socket of sockets) socket.destroy()
  }, 1_000)
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    cuts: () => cuts,
    [Symbol.dispose]: () => {
      clearInterval(cutting)
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test.skipIf(!hasBrowser)('a stream that is cut every second loses nothing', async () => {
  await using folder = dataFolder()
  await using main = await startMain({
    ...{ DATABASE_URL: db.url, DATA_DIR: folder.path, SANDBOX: 'on', SANDBOX_RPC_URL: chain.url },
    ...{ SECRET_KEY: 'a secret that only this test knows of, 1234', SIGN_UP: 'open', CHECKOUT_RATE_LIMIT: '0' },
  })
  const context = await browser.newContext({ locale: 'en-US' })
  const page = await context.newPage()
  await beginPayment(page, `${main.url}/pay/${await makeLink(main.url)}`)
  const { pathname } = new URL(page.url())
  using proxy = await cuttingProxy(main.url)
  const address = (await page.getByTestId('deposit-address').getAttribute('data-value')) ?? ''
  // Cookies do not depend on the port.
  for (let attempt = 0; attempt < 10; attempt++)
    if (await page.goto(proxy.url + pathname, { waitUntil: 'commit' }).catch(() => null)) break
  await awaitStatus(page, 'pay')
  await pay(address, 4_000_000n)
  await awaitStatus(page, 'underpaid', 60_000)
  await pay(address, 6_000_000n)
  await awaitStatus(page, 'paid', 60_000)
  expect(proxy.cuts()).toBeGreaterThan(2)
  await context.close()
})

import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Chain } from '../../../src/chain/chain.ts'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain, sandboxId } from '../../../src/chain/known/sandbox.ts'
import { parseEnv } from '../../../src/env.ts'
import { routes } from '../../../src/http/routes.ts'
import { decodeId } from '../../../src/ids.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { payer, sandboxContracts } from '../../../src/sandbox/contracts.ts'
import { callNode } from '../../../src/sandbox/node-client.ts'
import { startBackgroundServices } from '../../../src/server/background-services.ts'
import { pageRoutes } from '../../../src/server/page-routes.ts'
import { insertKey } from '../../access/keys.ts'
import { type ApiServer, apiServer, type Called, SECRET_KEY } from '../../harness/api.ts'
import { openBrowser } from '../../harness/browser.ts'
import { dataFolder } from '../../harness/embedded-parent.ts'
import { until } from '../../harness/until.ts'
import { makeLink } from '../../http/links.ts'
import { type Shop, shop } from '../../http/people.ts'
import { type Opened, opened } from '../../sandbox/opened.ts'

/** A whole server with a sandbox and a shop, and a browser for its customers. */
export type PayServer = AsyncDisposable & {
  readonly server: ApiServer
  readonly sandbox: Opened
  readonly shop: Shop
  readonly browser: Browser
  /** The path of a link over ten dollars. */
  link(more?: object): Promise<string>
  /** By the sandbox, as a merchant's developer asks for it. */
  simulate(paymentId: string, scenario: string): Promise<Called>
  stateOf(paymentId: string): Promise<string | undefined>
  /** Another process at another address: what an exchange sends. */
  sendDollars(to: string, units: bigint): Promise<string>
  /** Test dollars and gas for an account of the node. */
  fund(account: string, units: bigint): Promise<void>
  visit(options?: BrowserContextOptions): Promise<Visit>
}

export type Visit = AsyncDisposable & {
  readonly context: BrowserContext
  readonly page: Page
  /** Messages of the console and errors of the page. */
  readonly complaints: string[]
  /** Every address that was asked for, with its method. */
  readonly asked: string[]
}

/** The accounts of the node that the sandbox itself does not use. */
export const accountsOf = async ({ sandbox }: PayServer): Promise<readonly string[]> =>
  ((await callNode(sandbox.url, 'eth_accounts')) as string[]).slice(2)

export type PayServerOptions = {
  /** Chains besides the sandbox, without a node. */
  readonly others?: readonly Chain[]
  /** The address at which the server reads the node of the sandbox. */
  readonly through?: (nodeUrl: string) => Promise<string>
}

export const payServer = async (
  env: Readonly<Record<string, string>> = {},
  { others = [], through = async url => url }: PayServerOptions = {},
): Promise<PayServer> => {
  await using starting = new AsyncDisposableStack()
  const folder = starting.use(dataFolder())
  const sandbox = starting.use(await opened(folder.path))
  const nodeUrl = await through(sandbox.url)
  const server = starting.use(
    await apiServer({
      routes: [...routes, ...pageRoutes(routes)],
      sandbox,
      env: { API_RATE_LIMIT_TEST: '0', CHECKOUT_RATE_LIMIT: '0', ...env },
      chains: outside =>
        connectChains([sandboxChain(sandbox.contracts), ...others], id => (id === sandboxId ? [nodeUrl] : []), outside),
    }),
  )
  const { api, sql, databaseUrl } = server
  const background = await startBackgroundServices(
    api,
    parseEnv({ ...env, DATABASE_URL: databaseUrl, SECRET_KEY }),
    databaseUrl,
  )
  starting.adopt(background, services => services.stop())
  const browser = starting.adopt(await openBrowser(), each => each.close())
  const here = await shop(api, 'Lamps & Light')
  const key = (await insertKey(sql, { merchantId: here.merchantId })).secret
  const transact = async (from: string, to: string, data: string) => {
    using _busy = sandbox.keepMining()
    const hash = String(await callNode(sandbox.url, 'eth_sendTransaction', { from, to, data }))
    await until(async () => (await callNode(sandbox.url, 'eth_getTransactionReceipt', hash)) !== null)
    return hash
  }
  const mintTo = (account: string, units: bigint) =>
    transact(payer, sandboxContracts.token, `0x40c10f19${wordOf(account)}${wordOf(units.toString(16))}`)
  const rest = starting.move()
  return {
    ...{ server, sandbox, shop: here, browser },
    link: async more => {
      const whose = { merchantId: here.merchantId, livemode: false }
      return `/pay/${(await makeLink(api, whose, { assets: null, ...more })).id}`
    },
    simulate: (id, scenario) =>
      server.call('POST', `/v1/sandbox/payments/${id}/simulate`, { bearer: key, json: { scenario } }),
    stateOf: async id => {
      const actor = decodeId('pay', id) ?? ''
      return (await findPayment(sql, { id: actor, merchantId: here.merchantId, livemode: false }))?.state
    },
    sendDollars: async (to, units) => {
      const [, , exchange = ''] = (await callNode(sandbox.url, 'eth_accounts')) as string[]
      await mintTo(exchange, units)
      return transact(exchange, sandboxContracts.token, `0xa9059cbb${wordOf(to)}${wordOf(units.toString(16))}`)
    },
    fund: async (account, units) => void (await mintTo(account, units)),
    visit: async (options = {}) => {
      const context = await browser.newContext({ locale: 'en-US', ...options })
      const page = await context.newPage()
      const [complaints, asked]: [string[], string[]] = [[], []]
      page.on('console', message => complaints.push(message.text()))
      page.on('pageerror', error => complaints.push(error.message))
      page.on('request', request => asked.push(`${request.method()} ${request.url()}`))
      return { context, page, complaints, asked, [Symbol.asyncDispose]: () => context.close() }
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

const wordOf = (hex: string): string => hex.replace(/^0x/, '').padStart(64, '0')

export const SANDBOX = sandboxId

/** Opens the page of a link and fills in the form; with the asset it leads to the page of the payment. */
export const beginPayment = async (page: Page, url: string, asset = 'TUSD'): Promise<string> => {
  await page.goto(url)
  await page.getByTestId('email').fill('ada@example.com')
  await page.locator(`[data-testid=asset][data-asset=${asset}] input`).check()
  await page.getByTestId('continue').click()
  await page.waitForURL(/\/pay_/)
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

export const awaitStatus = (page: Page, status: string, timeout = 30_000) =>
  page.locator(`[data-testid=status][data-status=${status}]`).waitFor({ timeout })

export const statusOn = (page: Page) => page.getByTestId('status').getAttribute('data-status')

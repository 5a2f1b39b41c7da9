import { connectChains } from '../../src/chain/enabled/connect.ts'
import { sandboxChain, sandboxId } from '../../src/chain/known/sandbox.ts'
import { openCheckout } from '../../src/commands/checkouts.ts'
import { parseEnv } from '../../src/env.ts'
import { routes } from '../../src/http/routes.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { findVisitedLink } from '../../src/queries/checkouts.ts'
import { findPayment } from '../../src/queries/payments.ts'
import { startBackgroundServices } from '../../src/server/background-services.ts'
import { pageRoutes } from '../../src/server/page-routes.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiServer, apiServer, type Called, SECRET_KEY } from '../harness/api.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { until } from '../harness/until.ts'
import { type Opened, opened } from '../sandbox/opened.ts'
import { makeLink } from './links.ts'
import { type Shop, shop } from './people.ts'

/** The API, a sandbox and the services that read its chain, as in a server. */
export type SimulationServer = AsyncDisposable & {
  readonly server: ApiServer
  readonly sandbox: Opened
  readonly shop: Shop
  /** A test key with full access. */
  readonly key: string
  open(asset?: 'TUSD' | 'ETH', link?: object): Promise<string>
  simulate(id: string, scenario: string, headers?: Record<string, string>): Promise<Called>
  look(id: string): Promise<Look>
  /** Waits until the payment has these values. */
  becomes(id: string, wanted: Partial<Look>): Promise<void>
}

export type Look = {
  readonly state: string
  readonly exception: string | null
  readonly failureReason: string | null
  readonly attention: boolean
  readonly address: string | null
  readonly amountExpected: bigint | null
  readonly amountReceived: bigint
  readonly amountFinal: bigint
  readonly expiresAt: Date
  readonly events: readonly string[]
}

export const simulationServer = async (sandboxRpcUrl?: string): Promise<SimulationServer> => {
  await using starting = new AsyncDisposableStack()
  const folder = starting.use(dataFolder())
  const sandbox = starting.use(await opened(folder.path, sandboxRpcUrl))
  const server = starting.use(
    await apiServer({
      routes: [...routes, ...pageRoutes(routes)],
      sandbox,
      env: { API_RATE_LIMIT_TEST: '0', CHECKOUT_RATE_LIMIT: '0' },
      chains: outside => connectChains([sandboxChain(sandbox.contracts)], () => [sandbox.url], outside),
    }),
  )
  const { api, sql, databaseUrl } = server
  const env = parseEnv({ DATABASE_URL: databaseUrl, SECRET_KEY })
  starting.adopt(await startBackgroundServices(api, env, databaseUrl), services => services.stop())
  const here = await shop(api)
  const key = (await insertKey(sql, { merchantId: here.merchantId })).secret

  const look = async (id: string): Promise<Look> => {
    const actor = decodeId('pay', id) ?? ''
    const payment = await findPayment(sql, { id: actor, merchantId: here.merchantId, livemode: false })
    if (!payment) throw new Error('the payment is missing')
    const events = await sql<{ type: string }[]>`select type from events where actor = ${actor} order by rev, id`
    return {
      ...payment.context,
      state: payment.state,
      events: events.map(({ type }) => type.replace('payment.', '')),
    }
  }
  const rest = starting.move()
  return {
    ...{ server, sandbox, shop: here, key, look },
    open: async (asset, more) => {
      const { link } = await makeLink(api, { merchantId: here.merchantId, livemode: false }, { assets: null, ...more })
      const visited = await findVisitedLink(sql, link.id)
      if (!visited) throw new Error('the link is missing')
      const customer = { customerEmail: 'ada@example.com', customerName: null }
      const pick = asset && { chainId: sandboxId, asset }
      return encodeId('pay', (await openCheckout(api, visited, customer, { asset: pick })).payment.id)
    },
    simulate: (id, scenario, headers = {}) =>
      server.call('POST', `/v1/sandbox/payments/${id}/simulate`, { bearer: key, json: { scenario }, headers }),
    becomes: async (id, wanted) => {
      let last: Look | undefined
      const isSo = async () => {
        const now = await look(id)
        last = now
        return Object.entries(wanted).every(([name, value]) => Bun.deepEquals(now[name as keyof Look], value))
      }
      await until(isSo, { timeoutMs: 30_000, everyMs: 50 }).catch(() => {
        throw new Error(`the payment is ${Bun.inspect(last)} and did not become ${Bun.inspect(wanted)}`)
      })
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

import { fileURLToPath } from 'node:url'
import { openCalls } from '../../src/demo/call.ts'
import { decodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { openInstance } from '../actors/lamps.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { type Main, startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { unusedPort } from '../harness/unused-port.ts'
import { type BenchServer, createMigrated } from './server.ts'
import { makeLinks, makePaidPayments } from './streams-payments.ts'
import { memoryOf, OWNER } from './web-shop.ts'
import { SECRET_KEY } from './webhooks-instance.ts'

/** A server process that can be killed and started again, and a merchant with links, payments and an inbox. */
export type StreamShop = AsyncDisposable & {
  readonly url: string
  readonly databaseUrl: string
  readonly sql: Sql
  /** UUIDs, and the merchant's ID in the API. */
  readonly merchantId: string
  readonly merchant: string
  readonly links: readonly string[]
  /** Payments that are done, on the first page of the list when it is opened. */
  readonly paid: readonly string[]
  readonly apiKey: string
  /** An access token of the owner, valid for 15 minutes. */
  bearer(): Promise<string>
  /** MiB of memory, and of the heap after a garbage collection. */
  memory(): Promise<Memory>
  /** MiB of memory, without a garbage collection. */
  rss(): number
  /** Kills the process and starts it again. */
  kill(): Promise<void>
}

export type Memory = { readonly rss: number; readonly heap: number }

export type StreamShopSizes = { readonly links: number; readonly rows: number }

export const openStreamShop = async (server: BenchServer, sizes: StreamShopSizes): Promise<StreamShop> => {
  await using opening = new AsyncDisposableStack()
  const db = opening.use(await createMigrated(server))
  const folder = opening.use(dataFolder())
  const env = {
    ...{ DATABASE_URL: db.url, SECRET_KEY, DATA_DIR: folder.path, SIGN_UP: 'open', LOG_LEVEL: 'warn' },
    ...{ API_RATE_LIMIT_TEST: '1000000', MIMALLOC_PURGE_DELAY: '-1', PORT: String(await unusedPort()) },
  }
  let main = await startServer(env)
  opening.defer(() => main[Symbol.asyncDispose]())

  const anyone = openCalls(main.url)
  const account = await anyone('POST', '/v1/auth/sign-up', { ...OWNER, merchantName: 'Lamps & Light' })
  const merchant = account.text('merchants.0.id')
  const owner = openCalls(main.url, account.text('accessToken'))
  const key = await owner('POST', `/v1/merchants/${merchant}/api-keys`, { name: 'The bench', access: 'full' })
  await owner('POST', `/v1/merchants/${merchant}/webhook-endpoints`, { inbox: true, eventTypes: ['payment.succeeded'] })

  const { sql, actors, close } = await openInstance(db.url, { kinds })
  opening.defer(close)
  const merchantId = decodeId('mer', merchant) ?? ''
  const links = await makeLinks(actors, merchantId, sizes.links)
  const paid = await makePaidPayments(actors, { merchantId, links }, sizes.rows)
  const rest = opening.move()
  return {
    ...{ url: main.url, databaseUrl: db.url, sql, merchantId, merchant, links, paid, apiKey: key.text('secret') },
    bearer: async () => (await anyone('POST', '/v1/auth/sign-in', { ...OWNER })).text('accessToken'),
    memory: () => memoryOfServer(main),
    rss: () => memoryOf(main.child.pid ?? 0),
    kill: async () => {
      main.child.kill('SIGKILL')
      await main.exited
      main = await startServer(env)
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

const startServer = async (env: Readonly<Record<string, string>>): Promise<Main> => {
  const preloaded = ['../harness/end-with-parent.ts', './streams-heap.ts'].flatMap(file => ['--preload', pathOf(file)])
  const main = await startMain(env, { runtime: { command: process.execPath, args: preloaded } })
  if (main.child.exitCode !== null) throw new Error(`the server did not start: ${main.lines.join('\n')}`)
  return main
}

const memoryOfServer = async ({ child, lines }: Main): Promise<Memory> => {
  const isHeap = (line: string) => line.startsWith('heap ')
  const before = lines.filter(isHeap).length
  const rss = memoryOf(child.pid ?? 0)
  child.kill('SIGUSR2')
  const line = await until(() => lines.filter(isHeap)[before], { what: 'the size of the heap' })
  return { rss, heap: Number(line.split(' ')[1]) / 2 ** 20 }
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { exportRoutes } from '../../src/http/exports/routes.ts'
import { type ApiServer, apiServer, SECRET_KEY } from '../harness/api.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { type Main, startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { copyPayments, wide } from '../http/export-calls.ts'
import { exportSessions } from '../http/export-sessions.ts'
import { makePayment } from '../http/payments.ts'
import { type Shop, shop } from '../http/people.ts'
import { hasLastChunk, isBegun, rawResponse } from '../http/raw-response.ts'
import { findRuntime, runtimes } from './runtimes.ts'

/** The whole server on each runtime, with the database of a server in this process. */
const program = fileURLToPath(new URL('main-program.ts', import.meta.url))
let server: ApiServer
let lamps: Shop
let path: string
let whole: string
let database: ReturnType<typeof exportSessions>

beforeAll(async () => {
  server = await apiServer({ routes: exportRoutes })
  database = exportSessions(server.sql)
  lamps = await shop(server.api)
  const { actor } = await makePayment(server.api, { merchantId: lamps.merchantId, livemode: false }, 'success')
  await copyPayments({ server }, actor, 16_000)
  path = `${lamps.path}/exports/payments.csv?${new URLSearchParams(wide)}`
  whole = (await server.call('GET', path, { bearer: lamps.owner.bearer })).text
}, 60_000)
afterAll(() => server?.[Symbol.asyncDispose]())

const names = ['Bun', ...Object.keys(runtimes)]

const start = async (name: string): Promise<(Main & { readonly home: Disposable | AsyncDisposable }) | undefined> => {
  const runtime = name === 'Bun' ? undefined : await findRuntime(name)
  if (name !== 'Bun' && !runtime) {
    console.warn(`${name} is not available: its tests are skipped`)
    return undefined
  }
  const home = dataFolder()
  const env = { DATABASE_URL: server.databaseUrl, DATA_DIR: home.path, SECRET_KEY, ROLE: 'api' }
  return Object.assign(await startMain(env, runtime && { runtime, program }), { home })
}

const endSession = async () => {
  await database.untilItWaits()
  for (const { pid } of await database.sessions()) await server.sql`select pg_terminate_backend(${pid})`
}

test.each(names)(
  'on %s a whole file has its last chunk, and one that breaks off has none, with and without compression',
  async name => {
    const main = await start(name)
    if (!main) return
    await using _ = main
    for (const accept of [undefined, 'gzip']) {
      const asked = { url: main.url, path, bearer: lamps.owner.bearer, accept }
      const response = await fetch(`${main.url}${path}`, {
        headers: { authorization: `Bearer ${lamps.owner.bearer}`, 'accept-encoding': accept ?? 'identity' },
        // As it comes.
        ...({ decompress: false } as object),
      })
      expect(response.headers.get('content-encoding')).toBe(accept ?? null)
      const bytes = Buffer.from(await response.arrayBuffer())
      expect((accept ? gunzipSync(bytes) : bytes).toString() === whole).toBe(true)
      await database.noSessions()
      const read = await rawResponse(asked)
      expect([name, accept, isBegun(read), hasLastChunk(read)]).toEqual([name, accept, true, true])
      await database.noSessions()

      const broken = await rawResponse({ ...asked, meanwhile: endSession })
      expect([name, accept, isBegun(broken), hasLastChunk(broken)]).toEqual([name, accept, true, false])
      expect(broken.length).toBeLessThan(read.length)
      await database.noSessions()
    }

    // The client is away: what it used is free.
    const ask = { url: main.url, path, bearer: lamps.owner.bearer }
    await rawResponse({ ...ask, meanwhile: database.untilItWaits, leaves: true })
    await database.noSessions()

    // Two here, and none in another process: until this one is killed.
    const ended = [1, 2].map(() => rawResponse({ ...ask, meanwhile: () => main.exited }))
    await until(async () => (await database.sessions()).length === 2)
    await database.untilItWaits()
    expect((await server.call('GET', path, { bearer: lamps.owner.bearer })).status).toBe(429)
    main.child.kill('SIGKILL')
    for (const bytes of await Promise.all(ended)) expect([isBegun(bytes), hasLastChunk(bytes)]).toEqual([true, false])
    await database.noSessions()
    expect((await server.call('GET', path, { bearer: lamps.owner.bearer })).status).toBe(200)
  },
  120_000,
)

test.each(names)(
  'on %s a server that is stopped breaks its exports off',
  async name => {
    const main = await start(name)
    if (!main) return
    await using _ = main
    const bytes = await rawResponse({
      ...{ url: main.url, path, bearer: lamps.owner.bearer },
      meanwhile: async () => {
        await database.untilItWaits()
        main.child.kill('SIGTERM')
        expect(await main.exited).toBe(0)
      },
    })
    expect([isBegun(bytes), hasLastChunk(bytes)]).toEqual([true, false])
  },
  120_000,
)

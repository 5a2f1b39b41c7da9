import { openActors } from '../../src/actors/actors.ts'
import type { Chains } from '../../src/chain/enabled/connect.ts'
import { databaseClock } from '../../src/clock.ts'
import type { Dependencies } from '../../src/dependencies.ts'
import { parseEnv } from '../../src/env.ts'
import { type Api, openApi } from '../../src/http/api.ts'
import { app } from '../../src/http/app.ts'
import type { ExportTimes } from '../../src/http/export-runs.ts'
import type { Route } from '../../src/http/route.ts'
import { serve } from '../../src/http/serve.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import type { Web } from '../../src/pages/web.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { openWeb } from '../../src/server/web.ts'
import { type Database, database } from './database.ts'
import { expectDocumented } from './documented.ts'
import { noChains } from './no-chains.ts'

/** The HTTP API served on loopback, with a database of its own. */
export type ApiServer = AsyncDisposable & {
  readonly api: Api
  readonly sql: Database['sql']
  /** For other processes that use the same database. */
  readonly databaseUrl: string
  readonly url: string
  /** `{ json }` is sent as a JSON body. The body of the response has been read already. */
  call(method: string, path: string, options?: CallOptions): Promise<Called>
}

export type CallOptions = {
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream
  readonly bearer?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Called = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: unknown
}

export type ApiServerOptions = {
  readonly routes: readonly Route[]
  readonly env?: Readonly<Record<string, string>>
  readonly signUpCode?: string
  /** The clock of the rate limits of this process. */
  readonly now?: () => number
  /** Replaces parts of the environment, for tests that observe them. */
  readonly outside?: Partial<Dependencies>
  /** No chains by default. */
  readonly chains?: (outside: Dependencies) => Chains
  readonly sandbox?: Sandbox
  /** How long an export may take, and its client may read nothing. */
  readonly exportTimes?: ExportTimes
  /** Instead of the scripts and style sheets of the pages. */
  readonly web?: Web
}

export const apiServer = async ({
  routes,
  env = {},
  signUpCode,
  now,
  outside = {},
  chains: connect = noChains,
  sandbox,
  exportTimes,
  web: givenWeb,
}: ApiServerOptions): Promise<ApiServer> => {
  await using starting = new AsyncDisposableStack()
  const { sql, url: DATABASE_URL } = starting.use(await database())
  const given: Dependencies = {
    sql,
    clock: databaseClock(),
    random: crypto.getRandomValues.bind(crypto),
    log: openLog('silent'),
    ...outside,
  }
  const settings = parseEnv({ DATABASE_URL, SECRET_KEY, TRUSTED_PROXIES: '127.0.0.0/8', ...env })
  const keyring = openKeyring(settings.secretKey ?? SECRET_KEY, settings.previousSecretKey)
  const actors = await openActors(given, kinds)
  starting.defer(() => actors.idle())
  const web = givenWeb ?? (await openWeb({ say: console.log }))
  const chains = starting.adopt(connect(given), c => c.close())
  const options = {
    env: settings,
    keyring,
    signUpCode: signUpCode ?? null,
    chains,
    sandbox,
    web,
    ...(exportTimes && { exportTimes }),
  }
  const api = starting.adopt(openApi({ ...given, actors }, options), a => a.close())
  const server = app(routes, api, now)
  starting.adopt(await serve(server, { host: '127.0.0.1', port: 0 }), s => s.stop())
  starting.defer(() => api.streams.stop())
  starting.defer(() => api.invoiceStreams.stop())
  starting.defer(() => api.subscriptionStreams.stop())
  starting.defer(() => api.merchantStreams.stop())
  starting.defer(() => api.transitionStreams.stop())
  starting.defer(() => api.inspector.stop())
  starting.defer(() => api.exportRuns.stop())
  const url = `http://127.0.0.1:${server.server?.port}`
  const rest = starting.move()
  return {
    api,
    sql,
    databaseUrl: DATABASE_URL,
    url,
    call: async (method, path, options) => {
      const answer = await call(method, `${url}${path}`, options)
      expectDocumented(routes, method, path, answer)
      return answer
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

export const SECRET_KEY = 'a secret key for tests and for nothing else'

const call = async (
  method: string,
  url: string,
  { json, body, bearer, headers }: CallOptions = {},
): Promise<Called> => {
  const sent = json === undefined ? body : JSON.stringify(json)
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
  })
  // A stream would not end.
  const isStream = answer.headers.get('content-type') === 'text/event-stream'
  if (isStream) await answer.body?.cancel()
  const text = isStream ? '' : await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: parse(text) }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

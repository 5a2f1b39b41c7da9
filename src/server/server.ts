import { isIP } from 'node:net'
import { openChains } from '../chain/enabled/chains.ts'
import { connectChains } from '../chain/enabled/connect.ts'
import { databaseClock } from '../clock.ts'
import type { Dependencies } from '../dependencies.ts'
import { openDeploymentKeyring } from '../deployment/keyring.ts'
import type { Env } from '../env.ts'
import { isLoopbackHost } from '../http/address.ts'
import { openApi } from '../http/api.ts'
import { app } from '../http/app.ts'
import { healthRoutes } from '../http/health.ts'
import { metricsRoutes } from '../http/metrics.ts'
import type { Route } from '../http/route.ts'
import { requireFree, serve } from '../http/serve.ts'
import type { Keyring } from '../keyring.ts'
import { openLog } from '../log.ts'
import { awaitDatabase } from '../postgres/await-database.ts'
import type { Sql } from '../postgres/connect.ts'
import { prepareDataFolder, startEmbedded } from '../postgres/embedded.ts'
import { migrate, readMigrations } from '../postgres/migrate.ts'
import { connectForRequests } from '../postgres/request-pool.ts'
import { hasAccounts } from '../queries/accounts.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import { startBackgroundServices } from './background-services.ts'
import { noWeb, openWeb } from './web.ts'

export type ServerOptions = {
  /** Prints one line for the operator. */
  readonly say: (line: string) => void
  /** Aborts the start. */
  readonly stop: AbortSignal
}

/** Everything that one process runs. Disposing it stops everything in reverse order. */
export const startServer = async (env: Env, { say, stop }: ServerOptions): Promise<AsyncDisposable> => {
  await using starting = new AsyncDisposableStack()

  // Before the sandbox, which starts without a data folder: a problem of the folder is reported first.
  if (env.databaseUrl === undefined) prepareDataFolder(env.dataDir)
  // In parallel with the database, which takes longer.
  const opening = starting.adopt(openSandbox(env, { say }), async opening => (await opening)?.stop())
  const forCallers = env.role === 'worker' ? [] : await interfaceRoutes()
  const web = env.role === 'worker' ? noWeb : await openWeb({ say })
  const databaseUrl =
    env.databaseUrl ?? starting.adopt(await startEmbedded({ dataDir: env.dataDir, say }), e => e.stop()).url
  // After the data folder is locked: a second start in the same folder reports which process holds it.
  await requireFree(env)
  await awaitDatabase(databaseUrl, { say, stop })
  const migrations = await readMigrations()
  await migrate(databaseUrl, migrations)
  stop.throwIfAborted()

  const sql = starting.adopt(connectForRequests(databaseUrl), pool => pool.end({ timeout: 5 }))
  // A dump restored into another cluster has new transaction IDs; the feeds must record that before anything is
  // written.
  await sql`select check_era()`
  const keyring = await openDeploymentKeyring(sql, env)
  const deps: Dependencies = {
    sql,
    clock: databaseClock(),
    random: crypto.getRandomValues.bind(crypto),
    log: openLog(env.logLevel),
  }

  const sandbox = await opening
  const urlsOf = (chainId: number) => env.rpcUrls.get(chainId) ?? (sandbox ? [sandbox.url] : [])
  const enabled = openChains(env, sandbox?.contracts ?? null)
  const chains = starting.adopt(connectChains(enabled, urlsOf, deps, env.rpcProxy), c => c.close())
  const background = starting.adopt(
    await startBackgroundServices({ ...deps, chains, sandbox, keyring }, env, databaseUrl),
    m => m.stop(),
  )

  const checks = {
    database: async () => void (await sql`select 1`),
    migrations: async () => ((await areApplied(sql, migrations)) ? undefined : 'missing'),
    worker: async () => background.trouble(),
  }
  const signUpCode = await firstSignUpCode(sql, keyring, env)
  const services = { ...deps, actors: background.actors }
  const given = { env, keyring, signUpCode, chains, sandbox, web, wakeChain: background.wakeChain, databaseUrl }
  const api = starting.adopt(openApi(services, given), a => a.close())
  const served = [
    ...healthRoutes(checks, background.chains, background.longestLockWait),
    ...metricsRoutes(checks, background),
    ...forCallers,
  ]
  starting.adopt(await serve(app(served, api), env), server => server.stop())
  starting.defer(() => api.streams.stop())
  starting.defer(() => api.invoiceStreams.stop())
  starting.defer(() => api.subscriptionStreams.stop())
  starting.defer(() => api.merchantStreams.stop())
  starting.defer(() => api.transitionStreams.stop())
  starting.defer(() => api.inspector.stop())
  starting.defer(() => api.exportRuns.stop())
  say(`Ready at ${env.publicUrl}`)
  // The URL for wallets that pay in test mode. Not printed for a node of the operator, whose URL may contain a key.
  if (sandbox && env.sandboxRpcUrl === undefined) say(`Test payments are made on the chain at ${sandbox.url}`)
  if (signUpCode !== null) say(`The first sign-up needs the code ${signUpCode}`)
  return starting.move()
}

/** Loaded only where they are served: a worker does not serve them. */
const interfaceRoutes = async (): Promise<readonly Route[]> => {
  const [{ routes }, { pageRoutes }] = await Promise.all([import('../http/routes.ts'), import('./page-routes.ts')])
  return [...routes, ...pageRoutes(routes)]
}

/**
 * The first sign-up needs a code if the server can be reached from other machines: otherwise the first visitor would
 * own it. The code is derived from the secret key, so that every process accepts it.
 */
const firstSignUpCode = async (sql: Sql, keyring: Keyring, env: Env): Promise<string | null> => {
  const { role, host, publicUrl, signUp } = env
  // A proxy on this machine can make a server on loopback public, so PUBLIC_URL is checked too.
  const isLocal = [isIP(host) === 6 ? `[${host}]` : host, new URL(publicUrl).host].every(isLoopbackHost)
  if (isLocal || role === 'worker' || signUp === 'closed' || (await hasAccounts(sql))) return null
  return Buffer.from(keyring.signing('first sign-up').current.key).toString('hex').slice(0, 20)
}

const areApplied = async (sql: Sql, migrations: readonly { name: string }[]): Promise<boolean> => {
  const names = migrations.map(({ name }) => name)
  return (await sql`select from migrations where name = any(${names})`).length === names.length
}

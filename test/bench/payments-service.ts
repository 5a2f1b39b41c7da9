import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit } from '../../src/audit/audit.ts'
import { arbitrumSepolia } from '../../src/chain/known/arbitrum.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { startMain } from '../harness/main.ts'
import { cert } from '../webhooks/certificate.ts'
import { type BenchNode, openBenchNode } from './chain-node.ts'
import { insertLinks, insertMerchants, type Link } from './payments-setup.ts'
import { type BenchServer, createMigrated } from './server.ts'
import { SECRET_KEY } from './webhooks-instance.ts'
import { type Receiver, startReceiver } from './webhooks-receiver.ts'

/** A server process of the service with its own database, a chain that it reads, and the merchants' web server. */
export type Service = AsyncDisposable & {
  readonly url: string
  readonly databaseUrl: string
  readonly pid: number
  readonly sql: Sql
  readonly node: BenchNode
  readonly receiver: Receiver
  readonly links: readonly Link[]
  /**
   * Stops the server process like an operator. Throws when there are not `complete` complete payments. Returns what the
   * server has logged: warnings and errors.
   */
  finish(complete: number): Promise<readonly string[]>
}

export type ServiceOptions = {
  readonly merchants: number
  readonly links: number
}

/** A known chain, so that its token is trusted as in production. */
const chain = arbitrumSepolia
const [token] = chain.tokens
export const ASSET = { chainId: chain.id, asset: token?.asset ?? '' }

export const openService = async (server: BenchServer, { merchants, links }: ServiceOptions): Promise<Service> => {
  await using opening = new AsyncDisposableStack()
  const db = opening.use(await createMigrated(server))
  const sql = opening.adopt(connect(db.url, { max: 2 }), pool => pool.end({ timeout: 1 }))
  const node = opening.use(await openBenchNode({ chainId: chain.id, tokenAt: token?.address ?? '' }))
  const receiver = opening.use(await startReceiver('localhost'))
  const folder = opening.adopt(mkdtempSync(join(tmpdir(), 'paymachine-bench-')), path =>
    rmSync(path, { recursive: true }),
  )
  const authority = join(folder, 'receiver.pem')
  writeFileSync(authority, cert)

  await sql`select check_era()`
  const ids = await insertMerchants(sql, merchants, `https://localhost:${receiver.port}/hooks`)
  const all = await insertLinks(sql, ids, links)
  await sql`vacuum analyze`
  const profile = process.env.BENCH_PROFILE
  const main = opening.use(
    await startMain(
      {
        ...{ DATABASE_URL: db.url, SECRET_KEY, [`RPC_URLS_${chain.id}`]: node.url, LOG_LEVEL: 'warn' },
        // The rate limits count as in production, but are never reached.
        ...{ CHECKOUT_RATE_LIMIT: '1000000', API_RATE_LIMIT_TEST: '1000000' },
        ...{ WEBHOOK_ALLOW: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: authority, MIMALLOC_PURGE_DELAY: '-1' },
      },
      { runtime: runtimeFor(profile) },
    ),
  )
  if (main.child.pid === undefined || main.child.exitCode !== null)
    throw new Error(`the server did not start: ${main.lines.join('\n')}`)
  const rest = opening.move()
  return {
    ...{ url: main.url, databaseUrl: db.url, pid: main.child.pid, sql, node, receiver, links: all },
    finish: async complete => {
      main.child.kill('SIGTERM')
      await main.exited
      await checkComplete({ sql, receiver }, complete)
      return main.lines.filter(line => line.startsWith('{'))
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

const checkComplete = async ({ sql, receiver }: Pick<Service, 'sql' | 'receiver'>, complete: number): Promise<void> => {
  const [row] = await sql<Record<string, number>[]>`
    select (select count(*)::integer from payments) as payments,
      (select count(*)::integer from payments where state = 'success') as success,
      (select count(*)::integer from deliveries where state = 'delivered' and attempts = 1) as delivered`
  const { answered, distinct, wrong } = await receiver.counts()
  const found = { ...row, answered, distinct }
  if (wrong > 0 || Object.values(found).some(count => count !== complete))
    throw new Error(`of ${complete} payments not all are complete: ${JSON.stringify({ ...found, wrong })}`)
  await sql`vacuum analyze`
  const findings = await audit(sql, kinds)
  if (findings.length > 0) throw new Error(`the audit found ${JSON.stringify(findings.slice(0, 5))}`)
}

/** BENCH_PROFILE names a folder into which the server writes a CPU profile when it ends. */
const runtimeFor = (profile: string | undefined) => ({
  command: process.execPath,
  args: [
    ...['--preload', pathOf('../harness/end-with-parent.ts')],
    ...(profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-md', `--cpu-prof-dir=${profile}`]),
  ],
})

const pathOf = (file: string) => new URL(file, import.meta.url).pathname

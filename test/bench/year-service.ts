import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { arbitrumSepolia } from '../../src/chain/known/arbitrum.ts'
import { connect } from '../../src/postgres/connect.ts'
import { type Main, startMain } from '../harness/main.ts'
import { cert } from '../webhooks/certificate.ts'
import { type BenchNode, openBenchNode } from './chain-node.ts'
import { SECRET_KEY } from './webhooks-instance.ts'
import { type Receiver, startReceiver } from './webhooks-receiver.ts'

/** A server process on a database that is there already, a chain that it reads, and the merchants' web server. */
export type YearService = AsyncDisposable & {
  readonly url: string
  readonly pid: number
  readonly node: BenchNode
  readonly receiver: Receiver
  readonly main: Main
  /** From the start of the process until it is ready. */
  readonly startMs: number
}

/** A known chain, so that its token is trusted as in production. */
export const chain = arbitrumSepolia
const [token] = chain.tokens
export const ASSET = { chainId: chain.id, asset: token?.asset ?? '' }

/** Nothing is dropped: what the operator keeps for ever is the most that there can be. */
const FOREVER = {
  RETAIN_ATTEMPT_BODIES_DAYS: 'forever',
  RETAIN_DELIVERIES_DAYS: 'forever',
  RETAIN_HISTORY_DAYS: 'forever',
}

/** A new chain of this length, to whose end the databases were read. */
export const openBlocks = async (databaseUrls: readonly string[], blocks: number): Promise<BenchNode> => {
  await using opening = new AsyncDisposableStack()
  const node = opening.use(await openBenchNode({ chainId: chain.id, tokenAt: token?.address ?? '' }))
  if (blocks > 0) await node.mine(blocks)
  for (const url of databaseUrls) await passBlocks(url, node)
  opening.move()
  return node
}

/** `blocks`: how long the chain is already. The copies of transfers are in its first blocks. */
export const startYearService = async (databaseUrl: string, { blocks = 0 } = {}): Promise<YearService> => {
  await using opening = new AsyncDisposableStack()
  const node = opening.use(await openBlocks(blocks > 0 ? [databaseUrl] : [], blocks))
  const receiver = opening.use(await startReceiver('localhost'))
  const folder = opening.adopt(mkdtempSync(join(tmpdir(), 'paymachine-bench-')), path =>
    rmSync(path, { recursive: true }),
  )
  const authority = join(folder, 'receiver.pem')
  writeFileSync(authority, cert)
  await prepareStart(databaseUrl, receiver)
  const began = performance.now()
  const main = opening.use(
    await startMain({
      ...{ DATABASE_URL: databaseUrl, SECRET_KEY, [`RPC_URLS_${chain.id}`]: node.url, LOG_LEVEL: 'warn' },
      ...{ CHECKOUT_RATE_LIMIT: '1000000', API_RATE_LIMIT_LIVE: '0', API_RATE_LIMIT_TEST: '0', SIGN_UP: 'open' },
      ...{ WEBHOOK_ALLOW: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: authority, MIMALLOC_PURGE_DELAY: '-1', DATA_DIR: folder },
      ...FOREVER,
    }),
  )
  const startMs = performance.now() - began
  if (main.child.pid === undefined || main.child.exitCode !== null)
    throw new Error(`the server did not start: ${main.lines.join('\n')}`)
  const rest = opening.move()
  return {
    ...{ url: main.url, pid: main.child.pid, node, receiver, main, startMs },
    [Symbol.asyncDispose]: async () => {
      main.child.kill('SIGTERM')
      await main.exited
      await rest.disposeAsync()
    },
  }
}

/** The endpoints of the merchants are at the new receiver, and no nightly audit is due while something is measured. */
const prepareStart = async (databaseUrl: string, { port }: Receiver): Promise<void> => {
  const sql = connect(databaseUrl, { max: 1 })
  await sql`update webhook_endpoints set url = ${`https://localhost:${port}/hooks`}, state = 'enabled'`
  await sql`insert into audits (status, started_by, finished_at) values ('clean', 'command', now())`
  await sql.end({ timeout: 1 })
}

const passBlocks = async (databaseUrl: string, node: BenchNode): Promise<void> => {
  const head = (await node.call('eth_getBlockByNumber', 'latest', false)) as {
    readonly number: string
    readonly hash: string
    readonly timestamp: string
  }
  const sql = connect(databaseUrl, { max: 1 })
  const minedAt = new Date(Number(head.timestamp) * 1_000)
  await setCursor(sql, { number: Number(head.number), hash: head.hash, minedAt })
  await sql.end({ timeout: 1 })
}

type Block = { readonly number: number; readonly hash: string; readonly minedAt: Date }

/** The chain was read up to this block, which is final. */
export const setCursor = async (sql: ReturnType<typeof connect>, { number, hash, minedAt }: Block): Promise<void> => {
  await sql`delete from chain_blocks where chain_id = ${chain.id}`
  await sql`insert into chain_blocks (chain_id, number, hash, mined_at) values (${chain.id}, ${number}, ${hash}, ${minedAt})`
  await sql`
    insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step, confirmations, livemode)
    values (${chain.id}, ${number}, ${hash}, ${minedAt}, ${number}, ${STEP}, 40, false)
    on conflict (chain_id) do update set number = excluded.number, hash = excluded.hash, mined_at = excluded.mined_at,
      final_number = excluded.final_number`
}

/** More readings than any example has seen. */
const STEP = 1_000

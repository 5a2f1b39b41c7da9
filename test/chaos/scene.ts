import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/postgres/connect.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { cert, key } from '../bench/webhooks-certificate.ts'
import { anvil } from '../harness/anvil.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { openPath } from '../harness/faulty-path.ts'
import { type Main, spawnMain } from '../harness/main.ts'
import { postgresServer } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { unusedPort } from '../harness/unused-port.ts'
import { receiver } from '../webhooks/receiver.ts'
import { watchHeads } from './heads.ts'

/** How long a process may take to stop after SIGTERM. */
const STOP_MS = 20_000

export type Scene = AsyncDisposable & Awaited<ReturnType<typeof openScene>>

/** One of the processes; it keeps its URL when it is killed and started again. */
export type Instance = Awaited<ReturnType<typeof openInstance>>

/** A database, a chain, a merchant's server, and processes of the service, all real and used by nothing else. */
export const openScene = async ({ instances: count }: { readonly instances: number }) => {
  await using opening = new AsyncDisposableStack()
  const server = opening.use(await postgresServer({ certificate: { cert, key } }))
  await migrate(server.url)
  const chain = opening.use(await anvil({ mining: 'none' }))
  const heads = opening.use(watchHeads(chain.url))
  const merchant = opening.use(await openMerchant())
  const env = {
    ...{ SECRET_KEY: 'a secret key for chaos and for nothing else', SIGN_UP: 'open' },
    ...{ SANDBOX: 'on', SANDBOX_RPC_URL: chain.url, WEBHOOK_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'warn' },
    ...{ API_RATE_LIMIT_TEST: '0', CHECKOUT_RATE_LIMIT: '0' },
    // All processes share one public name, so responses that contain it are equal.
    PUBLIC_URL: 'http://localhost:8080',
  }
  const instances: Instance[] = []
  for (let n = 0; n < count; n++) instances.push(opening.use(await openInstance(server.url, { env, tls: n === 0 })))
  // The program's own connections may be terminated; its queries are repeated.
  const sql = connect(server.url, { max: 2, name: 'chaos' })
  opening.defer(() => sql.end({ timeout: 1 }))
  const stack = opening.move()
  /** What did not continue during a fault that should not affect it. */
  const stopped: string[] = []
  return { stopped, server, chain, heads, merchant, instances, sql, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

type ReceivedEvent = {
  readonly id: string
  readonly type: string
  readonly data: { readonly object: { readonly id: string } }
}

/** A merchant's server that is down at times; `received` has only the events that it acknowledged. */
const openMerchant = async () => {
  const hooks = await receiver()
  const received: ReceivedEvent[] = []
  let isDown = false
  hooks.answer((response, seen) => {
    if (!isDown) received.push(JSON.parse(hooks.seen[seen - 1]?.body ?? '') as ReceivedEvent)
    response.writeHead(isDown ? 503 : 200).end()
  })
  return {
    url: hooks.url,
    received: received as readonly ReceivedEvent[],
    setDown: (down: boolean) => {
      isDown = down
    },
    [Symbol.asyncDispose]: () => hooks[Symbol.asyncDispose](),
  }
}

type InstanceOptions = {
  readonly env: Readonly<Record<string, string>>
  /** Connects to the database with TLS. */
  readonly tls: boolean
}

const openInstance = async (databaseUrl: string, { env, tls }: InstanceOptions) => {
  await using opening = new AsyncDisposableStack()
  const folder = opening.use(dataFolder())
  const path = opening.use(await openPath(databaseUrl, { tls }))
  const whole = { ...env, DATABASE_URL: path.url, DATA_DIR: folder.path, PORT: String(await unusedPort()) }
  const logged: string[] = []
  let main: Main = await spawnMain(whole)
  let isStopping = false
  opening.defer(async () => {
    main.child.kill('SIGKILL')
    await main.exited
  })

  /** Under any fault a process ends only when it is stopped, never by itself. */
  const requireAlive = () => {
    if (!isOver(main) || isStopping) return
    const { exitCode, signalCode } = main.child
    throw new Error(`a process ended by itself with ${exitCode ?? signalCode}: ${main.lines.slice(-5).join('\n')}`)
  }
  const ready = async () => {
    const isReady = async () => (await main.get('/readyz'))?.status === 200 || isOver(main)
    await until(isReady, { timeoutMs: 60_000, what: 'a ready process' })
    requireAlive()
  }
  const start = async () => {
    main = await spawnMain(whole)
    isStopping = false
    await ready()
  }
  const end = async (signal: NodeJS.Signals) => {
    requireAlive()
    isStopping = true
    main.child.kill(signal)
    const code = await main.exited
    logged.push(...main.lines)
    return code
  }
  await ready()
  const stack = opening.move()
  return {
    url: main.url,
    /** Its own proxy before the database. */
    path,
    start,
    ready,
    kill: async () => {
      await end('SIGKILL')
    },
    stop: async (): Promise<void> => {
      const code = await Promise.race([end('SIGTERM'), sleep(STOP_MS, 'still running', { ref: false })])
      if (code !== 0) throw new Error(`a process ended with ${code} after SIGTERM`)
    },
    freeze: () => main.child.kill('SIGSTOP'),
    thaw: () => main.child.kill('SIGCONT'),
    /** The log lines of all its runs. */
    lines: (): readonly string[] => (isOver(main) ? logged : [...logged, ...main.lines]),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const isOver = ({ child }: Main): boolean => child.exitCode !== null || child.signalCode !== null

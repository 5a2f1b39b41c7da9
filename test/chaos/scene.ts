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

/** How long a process may take to end when it is told to. */
const STOP_MS = 20_000

export type Scene = AsyncDisposable & Awaited<ReturnType<typeof openScene>>

/** One of the processes, under one address however often it is killed. */
export type Instance = Awaited<ReturnType<typeof openInstance>>

/** A database, a chain, a merchant's server, and processes of the service, all of them real and all their own. */
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
    // Of all of them, as behind one name; an answer that holds it is the same whoever gives it.
    PUBLIC_URL: 'http://localhost:8080',
  }
  const instances: Instance[] = []
  for (let n = 0; n < count; n++) instances.push(opening.use(await openInstance(server.url, { env, tls: n === 0 })))
  // The program's own connections may be ended; these are asked again.
  const sql = connect(server.url, { max: 2, name: 'chaos' })
  opening.defer(() => sql.end({ timeout: 1 }))
  const stack = opening.move()
  /** What did not go on while a fault lasted that was none of its business. */
  const stopped: string[] = []
  return { stopped, server, chain, heads, merchant, instances, sql, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

type Told = { readonly id: string; readonly type: string; readonly data: { readonly object: { readonly id: string } } }

/** A merchant's server that is away at times, and has heard only of what it has answered well. */
const openMerchant = async () => {
  const hooks = await receiver()
  const heard: Told[] = []
  let away = false
  hooks.answer((response, seen) => {
    if (!away) heard.push(JSON.parse(hooks.seen[seen - 1]?.body ?? '') as Told)
    response.writeHead(away ? 503 : 200).end()
  })
  return {
    url: hooks.url,
    heard: heard as readonly Told[],
    leave: (gone: boolean) => {
      away = gone
    },
    [Symbol.asyncDispose]: () => hooks[Symbol.asyncDispose](),
  }
}

type InstanceOptions = {
  readonly env: Readonly<Record<string, string>>
  /** Its connections to the database are encrypted. */
  readonly tls: boolean
}

const openInstance = async (databaseUrl: string, { env, tls }: InstanceOptions) => {
  await using opening = new AsyncDisposableStack()
  const folder = opening.use(dataFolder())
  const path = opening.use(await openPath(databaseUrl, { tls }))
  const whole = { ...env, DATABASE_URL: path.url, DATA_DIR: folder.path, PORT: String(await unusedPort()) }
  const said: string[] = []
  let main: Main = await spawnMain(whole)
  let asked = false
  opening.defer(async () => {
    main.child.kill('SIGKILL')
    await main.exited
  })

  /** Whatever happens around it, a process ends when it is told to and never by itself. */
  const requireAlive = () => {
    if (!isOver(main) || asked) return
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
    asked = false
    await ready()
  }
  const end = async (signal: NodeJS.Signals) => {
    requireAlive()
    asked = true
    main.child.kill(signal)
    const code = await main.exited
    said.push(...main.lines)
    return code
  }
  await ready()
  const stack = opening.move()
  return {
    url: main.url,
    /** Its own to the database. */
    path,
    start,
    ready,
    kill: async () => {
      await end('SIGKILL')
    },
    stop: async (): Promise<void> => {
      const code = await Promise.race([end('SIGTERM'), sleep(STOP_MS, 'still there', { ref: false })])
      if (code !== 0) throw new Error(`told to end, a process did so with ${code}`)
    },
    freeze: () => main.child.kill('SIGSTOP'),
    thaw: () => main.child.kill('SIGCONT'),
    /** What all of its lives have logged. */
    lines: (): readonly string[] => (isOver(main) ? said : [...said, ...main.lines]),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const isOver = ({ child }: Main): boolean => child.exitCode !== null || child.signalCode !== null

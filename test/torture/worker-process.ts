import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { until } from '../harness/until.ts'
import { type Answer, NO_DATABASE, type Outcome, type Request, type WorkerOptions } from './protocol.ts'

const program = fileURLToPath(new URL('worker.ts', import.meta.url))

/** The program was killed before it responded: whether the command was done is unknown. */
export type Died = { readonly kind: 'died' }

export type WorkerProcess = ReturnType<typeof openWorkerProcess>

type Life = {
  readonly child: ChildProcess
  readonly waiting: Map<number, (outcome: Outcome | Died) => void>
  readonly errors: string[]
  readonly ended: Promise<void>
  ready: boolean
  expected: boolean
}

/** One of the programs under test; it keeps its options when its process is killed and started again. */
export const openWorkerProcess = (name: string, options: WorkerOptions) => {
  let life: Life | undefined
  let lives = 0
  let n = 0

  const isAlive = ({ child }: Life): boolean => child.exitCode === null && child.signalCode === null

  const spawnLife = (): Life => {
    const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'pipe'] })
    const started: Life = {
      ...{ child, waiting: new Map(), errors: [], ready: false, expected: false },
      ended: new Promise(resolve => child.on('close', () => resolve())),
    }
    child.stderr?.on('data', (text: Buffer) => started.errors.push(text.toString()))
    // A killed process no longer reads its input.
    child.stdin?.on('error', () => {})
    createInterface({ input: child.stdout ?? process.stdin }).on('line', line => {
      if (line === 'ready') started.ready = true
      else {
        const { n, outcome } = parseAnswer(line)
        started.waiting.get(n)?.(outcome)
        started.waiting.delete(n)
      }
    })
    void started.ended.then(() => {
      for (const settle of started.waiting.values()) settle({ kind: 'died' })
      started.waiting.clear()
    })
    return started
  }

  /** Repeats the start when the database was unreachable. */
  const start = async (): Promise<void> => {
    const hasStarted = async () => {
      const started = spawnLife()
      life = started
      lives++
      await until(() => started.ready || !isAlive(started), {
        timeoutMs: 60_000,
        what: `process ${name} to start or end`,
      })
      if (started.ready) return true
      if (started.child.exitCode === NO_DATABASE) return false
      throw new Error(`process ${name} did not start: ${started.errors.join('')}`)
    }
    await until(hasStarted, { timeoutMs: 60_000, everyMs: 100, what: `process ${name} to reach its database` }).catch(
      error => {
        throw new Error(`${error.message}: ${life?.errors.join('')}`)
      },
    )
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = life
    if (!ending) return
    requireAlive()
    ending.expected = true
    ending.ready = false
    ending.child.kill(signal)
    await ending.ended
  }

  /** Under any fault a process never ends by itself. */
  const requireAlive = (): void => {
    if (!life || life.expected || isAlive(life)) return
    const { exitCode, signalCode } = life.child
    throw new Error(`process ${name} ended by itself with ${exitCode ?? signalCode}: ${life.errors.join('')}`)
  }

  return {
    name,
    start,
    requireAlive,
    isReady: (): boolean => life?.ready === true && isAlive(life),
    /** The number of its current run. */
    life: (): number => lives,
    ask: (request: DistributiveOmit<Request, 'n'>): Promise<Outcome | Died> => {
      const asked = life
      if (!asked?.ready || !isAlive(asked)) return Promise.resolve({ kind: 'died' })
      n++
      const { promise, resolve } = Promise.withResolvers<Outcome | Died>()
      asked.waiting.set(n, resolve)
      asked.child.stdin?.write(`${JSON.stringify({ n, ...request })}\n`)
      return promise
    },
    kill: () => end('SIGKILL'),
    stop: async (): Promise<void> => {
      await end('SIGTERM')
      const code = life?.child.exitCode
      if (code !== 0) throw new Error(`process ${name} ended with ${code} after SIGTERM`)
    },
    freeze: () => life?.child.kill('SIGSTOP'),
    thaw: () => life?.child.kill('SIGCONT'),
    /** In any state. */
    [Symbol.asyncDispose]: async () => {
      life?.child.kill('SIGKILL')
      await life?.ended
    },
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** The last line of a killed process may be incomplete. */
const parseAnswer = (line: string): Answer => {
  try {
    return JSON.parse(line) as Answer
  } catch {
    return { n: -1, outcome: { kind: 'unavailable', error: 'the response is incomplete' } }
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openWeb } from '../../src/server/web.ts'
import { until } from './until.ts'
import { unusedPort } from './unused-port.ts'

/** A process that runs the whole server. It is killed when its test disposes of it. */
export type Main = AsyncDisposable & {
  readonly child: ChildProcess
  readonly url: string
  /** The lines printed so far. */
  readonly lines: readonly string[]
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>
  /** The response of a path, or undefined while nothing listens. */
  get(path: string): Promise<Response | undefined>
}

export type MainOptions = {
  readonly program?: string
  /** Bun by default. Another program must end with the test process by itself. */
  readonly runtime?: Runtime
  /** The user that runs it, for tests run by root. */
  readonly uid?: number
}

export type Runtime = { readonly command: string; readonly args: readonly string[] }

const bun: Runtime = {
  command: process.execPath,
  args: ['--preload', fileURLToPath(new URL('end-with-parent.ts', import.meta.url))],
}

export const spawnMain = async (
  env: Readonly<Record<string, string>>,
  { program = fileURLToPath(new URL('../../src/main.ts', import.meta.url)), runtime = bun, uid }: MainOptions = {},
): Promise<Main> => {
  // Other runtimes serve what Bun has built.
  if (runtime !== bun) await openWeb({ say: console.log })
  const port = env.PORT ?? String(await unusedPort())
  const lines: string[] = []
  const child = spawn(runtime.command, [...runtime.args, program], {
    ...(uid !== undefined && { uid, gid: uid, cwd: '/' }),
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', SANDBOX: 'off', ...env, PORT: port },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => lines.push(...text.toString().split('\n').filter(Boolean)))
  const exited = new Promise<number | string>(resolve =>
    child.on('close', (code, signal) => resolve(signal ?? code ?? -1)),
  )
  const url = `http://127.0.0.1:${port}`
  return {
    child,
    url,
    lines,
    exited,
    get: path => fetch(url + path, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Waits until it is ready. */
export const startMain = async (env: Readonly<Record<string, string>>, options?: MainOptions): Promise<Main> => {
  const main = await spawnMain(env, options)
  const ready = async () => (await main.get('/readyz'))?.status === 200
  await until(async () => (await ready()) || main.child.exitCode !== null, {
    timeoutMs: 90_000,
    what: 'a ready process',
  })
  return main
}

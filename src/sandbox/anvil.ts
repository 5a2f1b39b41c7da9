import { closeSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openProcessGuard } from '../postgres/process-guard.ts'
import { freePort } from '../postgres/server.ts'
import { callNode } from './node-client.ts'

/** An anvil that this process has started. It is ended when this process ends, also after kill -9. */
export type Anvil = {
  readonly pid: number
  readonly port: number
  readonly url: string
  /** Settles when it has ended for any reason. */
  readonly exited: Promise<void>
  stop(how?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

export type AnvilOptions = {
  /** The folder for its log. No other anvil may use it. */
  readonly folder: string
  readonly binary?: string | undefined
  /** A loopback address. */
  readonly host?: string
  /** The preferred port. If it is not free, another one is used. */
  readonly port?: number | undefined
  /** Use only `port`. */
  readonly fixedPort?: boolean
  readonly args?: readonly string[]
  /** The folder is removed when this process ends. */
  readonly temporary?: boolean
}

export const startAnvil = async ({ folder, binary, ...options }: AnvilOptions): Promise<Anvil> => {
  const program = binary ?? findAnvil()
  if (program === undefined) throw new Error('There is no anvil for this platform')
  // Retried, because another program may take the port after it was probed.
  for (let attempt = 1; ; attempt++) {
    const port = options.fixedPort ? (options.port ?? 0) : await freePort(options.port)
    const { pid, exited } = launch(program, folder, port, options)
    const started = await ready(folder, exited)
    const number = await pid
    if (started && number !== undefined) {
      const url = `http://${options.host ?? '127.0.0.1'}:${port}`
      // The log of all requests would fill the disk.
      await callNode(url, 'anvil_setLoggingEnabled', false)
      return { pid: number, port, url, exited, stop: how => stop(number, exited, how) }
    }
    if (attempt === 3) throw new Error(lastLogLine(folder))
  }
}

const launch = (
  program: string,
  folder: string,
  port: number,
  { args = [], host = '127.0.0.1', temporary = false }: Partial<AnvilOptions>,
) => {
  const log = openSync(logFile(folder), 'w', 0o600)
  const guard = openProcessGuard({
    // The cache is not used without states on disk. Its path identifies the process: see isOwnAnvil().
    command: [program, '--host', host, '--port', String(port), '--cache-path', folder, ...args],
    account: undefined,
    log,
    signal: 'INT',
    removing: temporary ? folder : undefined,
  })
  closeSync(log)
  return guard
}

/**
 * Waits for the message in its log. A connection to the port would prove nothing: another program may have taken it.
 */
const ready = async (folder: string, exited: Promise<void>): Promise<boolean> => {
  let ended = false
  void exited.then(() => {
    ended = true
  })
  while (!ended) {
    if (readLog(folder).includes('Listening on')) return true
    await sleep(5)
  }
  return false
}

const stop = async (pid: number, exited: Promise<void>, how: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
  signal(pid, how)
  const killTimer = setTimeout(() => signal(pid, 'SIGKILL'), 5_000)
  await exited
  clearTimeout(killTimer)
}

/** Ends the anvil of a process that was killed together with its guard. Its state was saved at most a second ago. */
export const endOrphan = async ({ pid, port }: Pick<Anvil, 'pid' | 'port'>, folder: string) => {
  if (!isOwnAnvil(pid, folder)) return
  signal(pid, 'SIGKILL')
  // Waits for the port: the pid can remain as a zombie, and the command line disappears before the sockets are closed.
  for (let tries = 0; (await freePort(port)) !== port && tries < 500; tries++) await sleep(10)
}

/** Checks the command line, because another program may have this pid now. Without /proc nothing is ended. */
const isOwnAnvil = (pid: number, folder: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0--cache-path\0${folder}\0`)
  } catch {
    return false
  }
}

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}

const logFile = (folder: string) => join(folder, 'anvil.log')

const readLog = (folder: string): string => {
  try {
    return readFileSync(logFile(folder), 'utf8')
  } catch {
    return ''
  }
}

const lastLogLine = (folder: string): string => {
  const line = readLog(folder).trim().split('\n').at(-1)
  return line ? line.slice(0, 200) : `see ${logFile(folder)}`
}

/** The anvil binary of this platform; undefined if there is none. */
export const findAnvil = (): string | undefined => {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${cpu}/package.json`
  try {
    const main = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
    return join(dirname(createRequire(main).resolve(name)), 'bin', 'anvil')
  } catch {
    return undefined
  }
}

import { closeSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openProcessGuard } from '../postgres/process-guard.ts'
import { freePort } from '../postgres/server.ts'
import { ask } from './ask.ts'

/** An anvil that we have started. It ends when this process does, however that ends. */
export type Anvil = {
  readonly pid: number
  readonly port: number
  readonly url: string
  /** Settled when it has ended, whoever ended it. */
  readonly exited: Promise<void>
  stop(how?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

export type AnvilOptions = {
  /** Holds its log; no other anvil uses it. */
  readonly folder: string
  readonly binary?: string | undefined
  /** Of this machine alone. */
  readonly host?: string
  /** Taken if it is free. */
  readonly port?: number | undefined
  /** No other port will do. */
  readonly fixedPort?: boolean
  readonly args?: readonly string[]
  /** The folder is removed when this process ends. */
  readonly temporary?: boolean
}

export const startAnvil = async ({ folder, binary, ...options }: AnvilOptions): Promise<Anvil> => {
  const program = binary ?? findAnvil()
  if (program === undefined) throw new Error('There is no anvil for this platform')
  // The port may have been taken since it was looked at.
  for (let attempt = 1; ; attempt++) {
    const port = options.fixedPort ? (options.port ?? 0) : await freePort(options.port)
    const { pid, exited } = launch(program, folder, port, options)
    const started = await ready(folder, exited)
    const number = await pid
    if (started && number !== undefined) {
      const url = `http://${options.host ?? '127.0.0.1'}:${port}`
      // What it is asked would fill the disk.
      await ask(url, 'anvil_setLoggingEnabled', false)
      return { pid: number, port, url, exited, stop: how => stop(number, exited, how) }
    }
    if (attempt === 3) throw new Error(complaint(folder))
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
    // The cache is never used without states on the disk; its path says whose process this is. See isOurs().
    command: [program, '--host', host, '--port', String(port), '--cache-path', folder, ...args],
    account: undefined,
    log,
    signal: 'INT',
    removing: temporary ? folder : undefined,
  })
  closeSync(log)
  return guard
}

/** Its own word, in its own log: whoever answers at the port may be another program that was quicker to take it. */
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
  const impatience = setTimeout(() => signal(pid, 'SIGKILL'), 5_000)
  await exited
  clearTimeout(impatience)
}

/** Ends the anvil of a process that was killed together with its guard. It has nothing that was not saved. */
export const endOrphan = async ({ pid, port }: Pick<Anvil, 'pid' | 'port'>, folder: string) => {
  if (!isOurs(pid, folder)) return
  signal(pid, 'SIGKILL')
  // Its number may stay until somebody asks how it ended, and its command line goes before its sockets do.
  for (let tries = 0; (await freePort(port)) !== port && tries < 500; tries++) await sleep(10)
}

/** Another program may have that number now. Where there is no /proc nobody is ended: an idle orphan does no harm. */
const isOurs = (pid: number, folder: string): boolean => {
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

const complaint = (folder: string): string => {
  const line = readLog(folder).trim().split('\n').at(-1)
  return line ? line.slice(0, 200) : `see ${logFile(folder)}`
}

/** The program of this platform; undefined when there is none. */
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

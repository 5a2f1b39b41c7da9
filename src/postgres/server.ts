import { closeSync, constants, openSync, readFileSync, readlinkSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type OsAccount, signalAs, writeAs } from '../process/account.ts'
import { isAlive } from '../process/is-alive.ts'
import { probePort } from '../process/probe-port.ts'
import { StartError } from '../process/start-error.ts'
import { type Cluster, logFolder, pgdata } from './cluster.ts'
import { openProcessGuard, type ProcessGuard } from './guard.ts'

/** A postmaster that we have started. */
export type Server = {
  readonly pid: number
  readonly port: number
  /** Settled when it has ended, whoever ended it. */
  readonly exited: Promise<void>
  /** Ends it: `fast` closes the connections and writes a checkpoint, `kill` is kill -9. */
  stop(how?: 'fast' | 'kill'): Promise<void>
}

export type PostgresProcessOptions = {
  /** Taken if it is free. */
  readonly port?: number | undefined
  /** No other port will do. */
  readonly fixedPort?: boolean
  readonly settings?: Readonly<Record<string, string | number>>
  /** The cluster is thrown away when this process ends. */
  readonly temporary?: boolean
}

/** Starts the cluster's server and waits until it takes connections. Nobody else may be starting it. */
export const startPostgres = async (cluster: Cluster, options: PostgresProcessOptions = {}): Promise<Server> => {
  const { home, account } = cluster
  await endOrphan(home, account)
  let port = options.port ?? 0
  // Tried again for two passing troubles: the port was taken since it was looked at, and backends of
  // a postmaster that was killed still hold its shared memory for a moment.
  const deadline = performance.now() + 10_000
  for (;;) {
    if (!options.fixedPort) port = await freePort(port)
    using log = openStartLog(home)
    const guard = launch(cluster, port, log.file, options)
    const pid = await ready(home, guard)
    if (pid !== undefined) return { pid, port, exited: guard.exited, stop: how => stop(pid, account, guard, how) }
    if (performance.now() > deadline)
      throw new StartError(`Postgres does not start: ${log.complaint() ?? `see ${logFolder(home)}`}`)
    await sleep(200)
  }
}

const stop = async (pid: number, account: OsAccount, { exited }: ProcessGuard, how: 'fast' | 'kill' = 'fast') => {
  signalAs(account, pid, how === 'fast' ? 'SIGINT' : 'SIGKILL')
  const impatience = setTimeout(() => signalAs(account, pid, 'SIGQUIT'), 15_000)
  await exited
  clearTimeout(impatience)
}

const launch = (
  { home, account, binaries }: Cluster,
  port: number,
  log: number,
  options: PostgresProcessOptions,
): ProcessGuard => {
  const settings = { ...defaults, log_directory: logFolder(home), port, ...options.settings }
  return openProcessGuard({
    command: [
      ...[join(binaries.folder, 'bin', 'postgres'), '-D', pgdata(home)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    account,
    log,
    signal: options.temporary ? 'QUIT' : 'INT',
    removing: options.temporary ? home : undefined,
  })
}

/**
 * What the server says before it has its log files. The file is a new one each time, never one that a link leads to,
 * and it is handed over open: Postgres's account needs no right to it.
 */
const openStartLog = (home: string) => {
  const path = join(home, 'start.log')
  rmSync(path, { force: true })
  const file = openSync(path, 'ax+', 0o600)
  return {
    file,
    complaint: () => {
      const text = Buffer.alloc(65_536)
      const length = readSync(file, text, 0, text.length, 0)
      const lines = text.toString('utf8', 0, length).trim().split('\n')
      return lines.findLast(line => line.includes('FATAL'))
    },
    [Symbol.dispose]: () => closeSync(file),
  }
}

const defaults: Readonly<Record<string, string | number>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  // A new file of 16 MB is filled with zeros while all who commit wait, up to 0.1 s: those of one rush are kept for the next.
  min_wal_size: '1GB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  tcp_keepalives_idle: 60,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 6,
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A week of logs, a file a day.
  logging_collector: 'on',
  log_filename: 'postgres-%a.log',
  log_truncate_on_rotation: 'on',
  log_rotation_size: 0,
  log_checkpoints: 'off',
}

/**
 * The postmaster's number, once it says in its pid file that it is ready; undefined when it has ended.
 * Recovery after a crash may take long, so there is no time limit.
 */
const ready = async (home: string, guard: ProcessGuard): Promise<number | undefined> => {
  let ended = false
  void guard.exited.then(() => {
    ended = true
  })
  const pid = await guard.pid
  while (!ended) {
    const file = readPidFile(home)
    if (file?.pid === pid && file?.status === 'ready') return pid
    await sleep(10)
  }
  return undefined
}

/**
 * Ends the server of a process that was killed. It is not adopted: it may run with the settings of an
 * older version, and only a child's end can be told for sure.
 */
const endOrphan = async (home: string, account: OsAccount) => {
  const pid = readPidFile(home)?.pid
  if (pid === undefined || !isAlive(pid)) return
  if (!isPostmaster(pid, home)) {
    // Another program has that number now, after a restart of the machine or of a container, and
    // Postgres would take it for a running server. The file must stay: it names the shared memory
    // by which Postgres finds out whether old backends are still alive. Our number it does not mind.
    writeAs(account, pidFile(home), readPidLines(home).with(0, String(process.pid)).join('\n'))
    return
  }
  for (const [how, patienceMs] of [
    ['SIGINT', 20_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 10_000],
  ] as const) {
    signalAs(account, pid, how)
    const deadline = performance.now() + patienceMs
    while (performance.now() < deadline) {
      if (findPostmaster(home) !== pid) return
      await sleep(20)
    }
  }
  throw new StartError(`An older Postgres (pid ${pid}) runs in ${home} and does not stop: stop it manually`)
}

/** The pid of the server that runs in the folder. */
export const findPostmaster = (home: string): number | undefined => {
  const pid = readPidFile(home)?.pid
  return pid !== undefined && isAlive(pid) && isPostmaster(pid, home) ? pid : undefined
}

/** A postmaster works in its cluster's folder, as its owner. Where there is no /proc, a living process is taken for one. */
const isPostmaster = (pid: number, home: string): boolean => {
  try {
    const proc = `/proc/${pid}`
    return readlinkSync(`${proc}/cwd`) === pgdata(home) && statSync(proc).uid === statSync(pgdata(home)).uid
  } catch {
    return process.platform !== 'linux'
  }
}

/** Lines 1, 4 and 8 of postmaster.pid. */
const readPidFile = (home: string): { pid: number; port: number; status: string } | undefined => {
  try {
    const lines = readPidLines(home)
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' }
  } catch {
    return undefined
  }
}

const pidFile = (home: string) => join(pgdata(home), 'postmaster.pid')

/** Of a file of Postgres's account, which may have put a link there. */
const readPidLines = (home: string): string[] => {
  const file = openSync(pidFile(home), constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return readFileSync(file, 'utf8').split('\n')
  } finally {
    closeSync(file)
  }
}

/** The wanted port when it is free, else any. */
export const freePort = async (wanted = 0): Promise<number> => (await listens(wanted)) ?? (await listens(0)) ?? wanted

const listens = (port: number): Promise<number | undefined> => probePort('127.0.0.1', port).catch(() => undefined)

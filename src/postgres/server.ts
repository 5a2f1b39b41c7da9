import { closeSync, constants, openSync, readFileSync, readlinkSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type OsAccount, signalAs, writeAs } from '../process/account.ts'
import { isAlive } from '../process/is-alive.ts'
import { probePort } from '../process/probe-port.ts'
import { StartError } from '../process/start-error.ts'
import { type Cluster, logFolder, pgdata } from './cluster.ts'
import { openProcessGuard, type ProcessGuard } from './process-guard.ts'

/** A Postgres server that this process has started. */
export type Server = {
  readonly pid: number
  readonly port: number
  /** Settles when it has ended for any reason. */
  readonly exited: Promise<void>
  /** `fast` closes the connections and writes a checkpoint. `kill` is kill -9. */
  stop(how?: 'fast' | 'kill'): Promise<void>
}

export type PostgresProcessOptions = {
  /** The preferred port. If it is not free, another one is used. */
  readonly port?: number | undefined
  /** Use only `port`. */
  readonly fixedPort?: boolean
  readonly settings?: Readonly<Record<string, string | number>>
  /** Remove the cluster when this process ends. */
  readonly temporary?: boolean
}

/** Starts the cluster's server and waits until it accepts connections. The caller must hold the lock of its folder. */
export const startPostgres = async (cluster: Cluster, options: PostgresProcessOptions = {}): Promise<Server> => {
  const { home, account } = cluster
  await endOrphan(home, account)
  let port = options.port ?? 0
  // Retried for two temporary problems: another program took the port after it was probed, or backends of a killed
  // server still use its shared memory for a moment.
  const deadline = performance.now() + 10_000
  for (;;) {
    if (!options.fixedPort) port = await freePort(port)
    using log = openStartLog(home)
    const guard = launch(cluster, port, log.file, options)
    const pid = await ready(home, guard)
    if (pid !== undefined) return { pid, port, exited: guard.exited, stop: how => stop(pid, account, guard, how) }
    if (performance.now() > deadline)
      throw new StartError(`Postgres does not start: ${log.lastError() ?? `see ${logFolder(home)}`}`)
    await sleep(200)
  }
}

const stop = async (pid: number, account: OsAccount, { exited }: ProcessGuard, how: 'fast' | 'kill' = 'fast') => {
  signalAs(account, pid, how === 'fast' ? 'SIGINT' : 'SIGKILL')
  const killTimer = setTimeout(() => signalAs(account, pid, 'SIGQUIT'), 15_000)
  await exited
  clearTimeout(killTimer)
}

const launch = (
  { home, account, binaries }: Cluster,
  port: number,
  log: number,
  options: PostgresProcessOptions,
): ProcessGuard => {
  const settings = { ...defaults, ...madeAt(home), log_directory: logFolder(home), port, ...options.settings }
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
 * When the files of the cluster were made: a copy of them has another time. identify_cluster() of the database reads it.
 * File systems that do not know the time answer 0.
 */
const madeAt = (home: string): Readonly<Record<string, number>> => {
  const time = Math.floor(statSync(join(pgdata(home), 'PG_VERSION')).birthtimeMs)
  return time > 0 ? { 'paymachine.files_made_at': time } : {}
}

/**
 * Receives the server's output before its log files exist. The file is created anew each time and never through a link.
 * Postgres gets the open descriptor, so its account needs no permission for the file.
 */
const openStartLog = (home: string) => {
  const path = join(home, 'start.log')
  rmSync(path, { force: true })
  const file = openSync(path, 'ax+', 0o600)
  return {
    file,
    lastError: () => {
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
  // Keeps WAL files for the next peak: while a new file of 16 MB is filled with zeros, all commits wait for up to 0.1
  // s.
  min_wal_size: '1GB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  tcp_keepalives_idle: 60,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 6,
  timezone: 'UTC',
  log_timezone: 'UTC',
  // One log file per weekday, overwritten after a week.
  logging_collector: 'on',
  log_filename: 'postgres-%a.log',
  log_truncate_on_rotation: 'on',
  log_rotation_size: 0,
  log_checkpoints: 'off',
}

/**
 * The pid of the postmaster, when its pid file says that it is ready; undefined if it has ended. There is no time
 * limit, because recovery after a crash may take long.
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
 * Ends the server that a killed process has left. It is not reused: it may run with the settings of an older version,
 * and only the exit of a child process can be detected reliably.
 */
const endOrphan = async (home: string, account: OsAccount) => {
  const pid = readPidFile(home)?.pid
  if (pid === undefined || !isAlive(pid)) return
  if (!isPostmaster(pid, home)) {
    // Another program has this pid now, after a restart of the machine or container, and Postgres would take it for a
    // running server. The file must not be removed: it contains the id of the shared memory, by which Postgres detects
    // live backends. So the pid is replaced by the one of this process, which Postgres ignores.
    writeAs(account, pidFile(home), readPidLines(home).with(0, String(process.pid)).join('\n'))
    return
  }
  for (const [how, timeoutMs] of [
    ['SIGINT', 20_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 10_000],
  ] as const) {
    signalAs(account, pid, how)
    const deadline = performance.now() + timeoutMs
    while (performance.now() < deadline) {
      if (findPostmaster(home) !== pid) return
      await sleep(20)
    }
  }
  throw new StartError(`An older Postgres (pid ${pid}) runs in ${home} and does not stop: stop it manually`)
}

/** The pid of the server that runs in the folder; undefined if none runs. */
export const findPostmaster = (home: string): number | undefined => {
  const pid = readPidFile(home)?.pid
  return pid !== undefined && isAlive(pid) && isPostmaster(pid, home) ? pid : undefined
}

/**
 * A postmaster's working directory is its cluster, which belongs to its user. Without /proc any process counts as one.
 */
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

/** Does not follow links, because the file belongs to Postgres's account. */
const readPidLines = (home: string): string[] => {
  const file = openSync(pidFile(home), constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return readFileSync(file, 'utf8').split('\n')
  } finally {
    closeSync(file)
  }
}

/** The preferred port if it is free, otherwise any free port. */
export const freePort = async (preferred = 0): Promise<number> =>
  (await tryPort(preferred)) ?? (await tryPort(0)) ?? preferred

const tryPort = (port: number): Promise<number | undefined> => probePort('127.0.0.1', port).catch(() => undefined)

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { connect } from '../../src/postgres/connect.ts'
import { freePort } from '../../src/postgres/server.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { project } from './chain-ponder-project.ts'
import type { BenchDatabase } from './server.ts'

/** The peer on the same server, with a database of its own. */
export type Ponder = AsyncDisposable & {
  /** Milliseconds from its first request about the chain to its last transfer, without the start of its process. */
  index(of: { readonly url: string; readonly token: string; readonly transfers: number }): Promise<number>
}

const PACKAGES = ['ponder@1.0.0', 'viem@2.57.1', 'hono@4.13.19']

// In the folder for temporary files, kept for the next run.
const home = join(tmpdir(), `paymachine-bench-ponder-1.0.0-${process.getuid?.() ?? ''}`)

/** Returns the reason where it cannot be measured. Its packages have 190 MB and are no dependency; a quick run does not install them. */
export const openPonder = async ({ server, print, quick }: Bench): Promise<Ponder | string> => {
  if (!isOurs(home)) {
    if (quick) return 'ponder is not installed; a run without --quick does that'
    print(`the peer is installed by npm into ${home} and stays there, 190 MB: ${PACKAGES.join(', ')}`)
    const trouble = install()
    if (trouble !== undefined) return trouble
  }
  const db = await server.create()
  let runs = 0
  return {
    index: of => run(db, `run_${++runs}`, of),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

const isOurs = (folder: string): boolean => {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}

const install = (): string | undefined => {
  if (!Bun.which('npm') || !Bun.which('node')) return 'npm or node is missing, which ponder needs'
  const making = mkdtempSync(`${home}-`)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  const { status } = spawnSync('npm', ['install', ...options, ...PACKAGES], {
    cwd: making,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 300_000,
  })
  // Renamed when the installation is complete.
  if (status === 0) renameSync(making, home)
  else rmSync(making, { recursive: true, force: true })
  return status === 0 ? undefined : 'npm could not install ponder'
}

const run = async (
  { url: databaseUrl }: BenchDatabase,
  schema: string,
  { url, token, transfers }: Parameters<Ponder['index']>[0],
): Promise<number> => {
  // Inside, because its packages are found in the parent folders.
  const folder = mkdtempSync(join(home, 'run-'))
  for (const [file, text] of Object.entries(project)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const [began, ended] = [join(folder, 'began'), join(folder, 'ended')]
  const program = join(home, 'node_modules/ponder/dist/esm/bin/ponder.js')
  const port = String(await freePort())
  const args = ['start', '--schema', schema, '--root', folder, '--hostname', '127.0.0.1', '--port', port]
  const child = spawn('node', ['--no-warnings', program, ...args, '--log-level', 'error'], {
    env: {
      ...{ PATH: process.env.PATH, NODE_ENV: 'production', PONDER_TELEMETRY_DISABLED: 'true' },
      ...{ DATABASE_URL: databaseUrl, NODE_URL: url, TOKEN: token, TRANSFERS: String(transfers) },
      ...{ BEGAN: began, ENDED: ended },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = new Promise(resolve => child.on('close', resolve))
  const sql = connect(databaseUrl, { max: 1 })
  try {
    await until(() => existsSync(ended) || child.exitCode !== null, { timeoutMs: 180_000, what: 'the peer' })
    if (child.exitCode !== null) throw new Error('the peer has failed')
    const written = async () => (await sql.unsafe(`select count(*)::integer as rows from ${schema}.transfers`))[0]?.rows
    await until(async () => (await written()) === transfers, { timeoutMs: 30_000, what: 'all rows of the peer' })
    return Number(readFileSync(ended, 'utf8')) - Number(readFileSync(began, 'utf8'))
  } finally {
    child.kill('SIGKILL')
    await exited
    await sql.end({ timeout: 1 })
    rmSync(folder, { recursive: true, force: true })
  }
}

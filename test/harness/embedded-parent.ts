import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../src/postgres/connect.ts'
import { urlFile } from '../../src/postgres/embedded.ts'
import { findPostmaster } from '../../src/postgres/server.ts'
import { isAlive as isProcess } from '../../src/process/is-alive.ts'
import { copyCluster } from './cluster.ts'
import { scratch } from './scratch.ts'
import { until } from './until.ts'

/** A DATA_DIR. When its Postgres has ended, it is removed together with what its links point to. */
export type DataFolder = AsyncDisposable & { readonly path: string }

export const dataFolder = (inside = scratch(), owner?: number): DataFolder => {
  const path = mkdtempSync(join(inside, 'paymachine-data-'))
  chmodSync(path, 0o711)
  if (owner !== undefined) chownSync(path, owner, owner)
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      const home = homeOf(path)
      for (const { dataDir, parent } of parents) if (dataDir === path) parent.kill('SIGKILL')
      await until(() => findPostmaster(home) === undefined, { what: 'the end of the server' })
      rmSync(home, { recursive: true, force: true })
      rmSync(path, { recursive: true })
    },
  }
}

/** A data folder that was used before, which starts a second faster. */
export const usedFolder = async (): Promise<DataFolder> => {
  const folder = dataFolder()
  await copyCluster(join(folder.path, 'postgres'))
  return folder
}

/** The folder of the cluster of a data folder. */
export const homeOf = (dataDir: string): string => {
  const link = join(dataDir, 'postgres')
  return lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(link) : link
}

const parents: { readonly dataDir: string; readonly parent: ChildProcess }[] = []

/** Starts a process that starts the Postgres of a data folder and does nothing else. */
export const spawnParent = (dataDir: string, { uid, clone }: ParentOptions = {}): ChildProcess => {
  const moduleOf = (path: string) => (clone ? join(clone, path) : import.meta.resolve(`../../${path}`))
  const script = `
    import ${JSON.stringify(import.meta.resolve('./end-with-parent.ts'))}
    import { leaveRoot } from ${JSON.stringify(moduleOf('src/process/leave-root.ts'))}
    import { startEmbedded } from ${JSON.stringify(moduleOf('src/postgres/embedded.ts'))}
    leaveRoot(${JSON.stringify(dataDir)})
    const say = line => console.log(line)
    await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, say }).catch(error => {
      console.error(error.message)
      process.exit(1)
    })
    console.log('ready')
    setInterval(() => {}, 1000)`
  const account = uid === undefined ? {} : { uid, gid: uid }
  const parent = spawn(process.execPath, ['-e', script], { ...account, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] })
  parents.push({ dataDir, parent })
  return parent
}

type ParentOptions = { readonly uid?: number; readonly clone?: string }

/** Waits until it is ready; `output` has the lines printed until then. */
export const startParent = async (
  dataDir: string,
  options: ParentOptions = {},
): Promise<ChildProcess & { output: string[] }> => {
  const parent = spawnParent(dataDir, options)
  const output: string[] = []
  const listen = (text: Buffer) => output.push(...text.toString().trim().split('\n'))
  parent.stdout?.on('data', listen)
  parent.stderr?.on('data', listen)
  await until(() => output.includes('ready') || parent.exitCode !== null, {
    timeoutMs: 90_000,
    what: 'the start of Postgres',
  })
  return Object.assign(parent, { output })
}

export const readUrl = (dataDir: string): string => readFileSync(urlFile(dataDir), 'utf8')

export const run = async (url: string, query: string): Promise<Record<string, unknown>[]> => {
  const sql = connect(url, { max: 1 })
  try {
    return [...(await sql.unsafe(query))]
  } finally {
    await sql.end({ timeout: 1 })
  }
}

export const postmaster = (dataDir: string): number => {
  const pid = findPostmaster(homeOf(dataDir))
  if (pid === undefined) throw new Error(`No server runs in ${dataDir}`)
  return pid
}

/** Kills the guard and its shells, which would end Postgres when its parent ends. */
export const killGuard = (pid: number) => {
  const guard = ask('ps', '-o', 'ppid=', '-p', String(pid))
  const shells = ask('pgrep', '-P', guard, 'sh').split('\n')
  for (const shell of [guard, ...shells]) process.kill(Number(shell), 'SIGKILL')
}

const ask = (program: string, ...args: readonly string[]) => execFileSync(program, args, { encoding: 'utf8' }).trim()

export const isAlive = (pid: number | undefined): boolean => pid !== undefined && isProcess(pid)

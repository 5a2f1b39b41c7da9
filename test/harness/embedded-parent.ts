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

/** A DATA_DIR that is removed, with whatever it leads to, once its server has ended. */
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

/** One that has been used before, which starts a second sooner. */
export const usedFolder = async (): Promise<DataFolder> => {
  const folder = dataFolder()
  await copyCluster(join(folder.path, 'postgres'))
  return folder
}

/** Where the cluster of a data folder is. */
export const homeOf = (dataDir: string): string => {
  const link = join(dataDir, 'postgres')
  return lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(link) : link
}

const parents: { readonly dataDir: string; readonly parent: ChildProcess }[] = []

/** A process that does nothing but keep the database of a data folder. */
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
  const who = uid === undefined ? {} : { uid, gid: uid }
  const parent = spawn(process.execPath, ['-e', script], { ...who, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] })
  parents.push({ dataDir, parent })
  return parent
}

type ParentOptions = { readonly uid?: number; readonly clone?: string }

/** The same, once it is ready; with the lines it printed until then. */
export const startParent = async (
  dataDir: string,
  options: ParentOptions = {},
): Promise<ChildProcess & { said: string[] }> => {
  const parent = spawnParent(dataDir, options)
  const said: string[] = []
  const listen = (text: Buffer) => said.push(...text.toString().trim().split('\n'))
  parent.stdout?.on('data', listen)
  parent.stderr?.on('data', listen)
  await until(() => said.includes('ready') || parent.exitCode !== null, { timeoutMs: 90_000, what: 'the parent' })
  return Object.assign(parent, { said })
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

/** Kills the shells that would end the server with its parent. */
export const killGuard = (pid: number) => {
  const guard = ask('ps', '-o', 'ppid=', '-p', String(pid))
  const shells = ask('pgrep', '-P', guard, 'sh').split('\n')
  for (const shell of [guard, ...shells]) process.kill(Number(shell), 'SIGKILL')
}

const ask = (program: string, ...args: readonly string[]) => execFileSync(program, args, { encoding: 'utf8' }).trim()

export const isAlive = (pid: number | undefined): boolean => pid !== undefined && isProcess(pid)

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { can } from '../../src/process/account.ts'
import { scratch } from './scratch.ts'

/** What `git clone` would give if the work tree were committed, with an empty home folder for its processes. */
export type Clone = AsyncDisposable & {
  readonly path: string
  /** Runs `bun run …` in it. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): CloneRun
}

export type CloneRun = AsyncDisposable & {
  readonly child: ChildProcess
  /** Its output so far. */
  text(): string
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Empty without git, or where this folder is no repository. */
export const clonedFiles = (): readonly string[] => {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  return (stdout ?? '').split('\0').filter(name => name !== '' && existsSync(join(root, name)))
}

export const clone = (owner?: number): Clone => {
  const path = emptyFolder()
  const home = emptyFolder()
  for (const name of clonedFiles()) cpSync(join(root, name), join(path, name))
  const env = {
    // Scripts start other scripts by the command `bun`.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    TMPDIR: tmpdir(),
    HOME: home,
    BUN_INSTALL_CACHE_DIR: owner === undefined ? cacheFolder() : copyCache(join(home, 'cache')),
  }
  if (owner !== undefined) {
    ask('chown', '-R', `${owner}:${owner}`, path)
    // Files of the cache may be links to files of another owner, so only folders change their owner.
    ask('find', home, '-type', 'd', '-exec', 'chown', `${owner}:${owner}`, '{}', '+')
  }
  const who = owner === undefined ? {} : { uid: owner, gid: owner }
  return {
    path,
    run: (args, more = {}) =>
      runOf(spawn(process.execPath, ['run', ...args], { ...who, cwd: path, env: { ...env, ...more } })),
    [Symbol.asyncDispose]: async () => {
      for (const each of [path, home]) await rm(each, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

/** For commands that run until they are stopped: all their processes end with the test process, also when it is killed. */
export const withParent = ({ path }: Clone) => ({
  BUN_OPTIONS: `--preload=${join(path, 'test/harness/end-with-parent.ts')}`,
})

const runOf = (child: ChildProcess): CloneRun => {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk
    })
  const exited = new Promise<number | string>(resolve =>
    child.on('close', (code, signal) => resolve(signal ?? code ?? -1)),
  )
  return {
    child,
    text: () => text,
    exited,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Processes whose command line or working directory names the folder. */
export const processesOf = (folder: string): readonly string[] =>
  (existsSync('/proc') ? readdirSync('/proc') : []).filter(pid => {
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) ||
        readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
      )
    } catch {
      // No process, or one that has ended.
      return false
    }
  })

/** In memory, if programs may run from there: an installation has half a gigabyte and took up to 23 s on a disk. */
const emptyFolder = (): string => {
  for (const place of [scratch(), tmpdir()]) {
    const path = mkdtempSync(join(place, 'paymachine-test-'))
    chmodSync(path, 0o755)
    const program = join(path, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    const runs = can(undefined, program)
    rmSync(program)
    if (runs) return path
    rmSync(path, { recursive: true })
  }
  throw new Error('No folder allows programs to run')
}

/** Bun's cache of downloads, so that nothing is downloaded twice. */
const cacheFolder = () => ask(process.execPath, 'pm', 'cache')

/** For an account that cannot read ours. On the same disk, hard links are enough. */
const copyCache = (to: string): string => {
  const from = cacheFolder()
  const linkable = existsSync(from) && statSync(from).dev === statSync(dirname(to)).dev
  spawnSync('cp', [linkable ? '-al' : '-R', from, to], { stdio: 'ignore' })
  mkdirSync(to, { recursive: true })
  return to
}

const ask = (program: string, ...args: readonly string[]): string =>
  spawnSync(program, args, { cwd: root, encoding: 'utf8' }).stdout.trim()

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

/** What git would clone if all that stands here were committed, and an empty home for whoever works in it. */
export type Clone = AsyncDisposable & {
  readonly path: string
  /** `bun run …`, as it is typed there. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): CloneRun
}

export type CloneRun = AsyncDisposable & {
  readonly child: ChildProcess
  /** What it has printed. */
  text(): string
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Empty where there is no git, or where it knows nothing of this folder. */
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
    // Scripts call themselves by the name of bun.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    TMPDIR: tmpdir(),
    HOME: home,
    BUN_INSTALL_CACHE_DIR: owner === undefined ? cacheFolder() : copyCache(join(home, 'cache')),
  }
  if (owner !== undefined) {
    ask('chown', '-R', `${owner}:${owner}`, path)
    // The files of the cache may be links: they stay whose they are.
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

/** For what goes on until it is told to end: all of its processes end with the test process, however that ends. */
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

/** Whatever runs in a folder, or was told of something there. */
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

/** In memory, if programs may run from there: what is installed is half a gigabyte, and took a disk up to 23 s. */
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
  throw new Error('There is no place to run programs from')
}

/** Where Bun keeps what it has downloaded, so that nothing is downloaded twice. */
const cacheFolder = () => ask(process.execPath, 'pm', 'cache')

/** For somebody who cannot look into ours. On the same disk links will do. */
const copyCache = (to: string): string => {
  const from = cacheFolder()
  const linkable = existsSync(from) && statSync(from).dev === statSync(dirname(to)).dev
  spawnSync('cp', [linkable ? '-al' : '-R', from, to], { stdio: 'ignore' })
  mkdirSync(to, { recursive: true })
  return to
}

const ask = (program: string, ...args: readonly string[]): string =>
  spawnSync(program, args, { cwd: root, encoding: 'utf8' }).stdout.trim()

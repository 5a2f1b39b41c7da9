import { expect } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clonedFiles } from './clone.ts'
import { scratch } from './scratch.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

export const biome = join(root, 'node_modules/.bin/biome')
export const tsc = join(root, 'node_modules/.bin/tsc')

/** A copy of the files of a clone, in which a test can apply a patch and run tests. */
export const copyOfTree = () => {
  const path = mkdtempSync(join(scratch(), 'paymachine-test-'))
  const attempt = (program: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: path, encoding: 'utf8' })
    return { status, stdout, text: `${stdout}${stderr}` }
  }
  const run = (program: string, ...args: readonly string[]): string => {
    const { status, stdout, text } = attempt(program, ...args)
    expect(status, `${program} ${args.join(' ')}\n${text}`).toBe(0)
    return stdout
  }
  for (const name of clonedFiles()) cpSync(join(root, name), join(path, name))
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  run('git', 'init', '--quiet')
  return {
    path,
    run,
    /** Like `run`, for what may fail. */
    attempt,
    /** The name of a git tree with all its files. */
    snapshot: (): string => {
      run('git', 'add', '--all')
      return run('git', 'write-tree').trim()
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { can, isRoot } from '../../src/process/account.ts'

/** Root can write everywhere, so it runs the command as a user that cannot. */
const ordinaryUser = isRoot() ? { name: 'nobody', uid: 65_534, gid: 65_534 } : undefined
const asOrdinary = test.if(
  can(ordinaryUser, process.execPath, '--version') && can(ordinaryUser, 'test', '-x', tmpdir()),
)

asOrdinary.each(['node_modules', '.'])('without write permission for %s the error says what helps', name => {
  using clone = cloneOf(['src', 'package.json', 'bun.lock'])
  const folder = join(clone.path, name)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o555)
  const { status, stdout, stderr } = spawnSync(process.execPath, ['src/process/install.ts'], {
    ...ordinaryUser,
    cwd: clone.path,
    env: { PATH: process.env.PATH ?? '' },
    encoding: 'utf8',
    timeout: 20_000,
  })
  chmodSync(folder, 0o755)
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `${folder} cannot be written to by this user: change its owner, or run this as its owner\n`,
  })
})

const cloneOf = (parts: readonly string[]) => {
  const path = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  chmodSync(path, 0o755)
  const root = fileURLToPath(new URL('../..', import.meta.url))
  for (const part of parts) cpSync(join(root, part), join(path, part), { recursive: true })
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}

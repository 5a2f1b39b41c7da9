import { expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/postgres/embedded.ts'
import { findPostmaster } from '../../src/postgres/server.ts'
import { can, isRoot } from '../../src/process/account.ts'
import { openEmbedded } from '../../src/sandbox/embedded.ts'
import { dataFolder, homeOf, postmaster, startParent } from '../harness/embedded-parent.ts'
import { until } from '../harness/until.ts'

// A user who can replace a folder in which root works could make root write to any file of the machine.
const asRoot = test.if(isRoot())
const ordinary = 65_534
const user = { name: 'nobody', uid: ordinary, gid: ordinary }
const asBoth = test.if(
  isRoot() && can(user, process.execPath, '--version') && can(user, 'test', '-r', import.meta.path),
)

asRoot('root does not start in a data folder that a group can write to', async () => {
  await using folder = dataFolder()
  chownSync(folder.path, 0, ordinary)
  chmodSync(folder.path, 0o775)
  await expect(startEmbedded({ dataDir: folder.path })).rejects.toThrow(
    `${folder.path} can be written to by other users: remove that permission with chmod go-w, or start as an ordinary user`,
  )
  expect(readdirSync(folder.path)).toEqual([])
})

asRoot('root does not start in a data folder that a user can replace through a parent folder or a link', async () => {
  using open = rootsFolder()
  const inside = join(open.path, 'inside')
  const link = join(open.path, 'link')
  await using folder = dataFolder(mkdirs(join(inside, 'deep')))
  symlinkSync(folder.path, link)
  const refusal = (dataDir: string, by: string) =>
    expect(startEmbedded({ dataDir })).rejects.toThrow(`${dataDir} can be replaced by users who can write to ${by}:`)
  chownSync(inside, ordinary, ordinary)
  await refusal(folder.path, inside)
  await refusal(link, inside)
  chownSync(inside, 0, ordinary)
  chmodSync(inside, 0o775)
  await refusal(folder.path, inside)
  chmodSync(inside, 0o755)
  lchownSync(link, ordinary, ordinary)
  await refusal(link, link)
  expect(readdirSync(folder.path)).toEqual([])
})

asRoot('root starts in a data folder below a sticky folder that every user can write to', async () => {
  using open = rootsFolder()
  chmodSync(open.path, 0o1777)
  await using folder = dataFolder(open.path)
  const { stop } = await startEmbedded({ dataDir: folder.path })
  await stop()
})

asRoot('a sandbox started by root writes to no data folder that a group can write to', async () => {
  await using folder = dataFolder()
  chmodSync(folder.path, 0o775)
  await expect(openEmbedded({ dataDir: folder.path, binary: '/bin/false', say: () => {} })).rejects.toThrow(
    `${folder.path} can be written to by other users`,
  )
  expect(readdirSync(folder.path)).toEqual([])
})

asBoth('started by root in a folder of an ordinary user, the data folder belongs to that user', async () => {
  using clone = rootsFolder()
  chownSync(clone.path, ordinary, ordinary)
  const path = join(clone.path, '.data')
  const parent = await startParent(path)
  expect(parent.output).toEqual(['ready'])
  expect([statSync(path).uid, statSync(`/proc/${postmaster(path)}`).uid]).toEqual([ordinary, ordinary])
  parent.kill('SIGTERM')
  await until(() => findPostmaster(homeOf(path)) === undefined)
})

/** A folder of root that all users can pass through. */
const rootsFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  chmodSync(path, 0o755)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const mkdirs = (path: string): string => {
  mkdirSync(path, { recursive: true, mode: 0o755 })
  return path
}

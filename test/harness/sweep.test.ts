import { expect, test } from 'bun:test'
import { chmodSync, existsSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedHome } from '../../src/postgres/place.ts'
import { findPostmaster } from '../../src/postgres/server.ts'
import { isRoot } from '../../src/process/account.ts'
import { lockDataFolder } from '../../src/process/data-folder-lock.ts'
import { homeOf, killGuard, postmaster, startParent } from './embedded-parent.ts'
import { programsOf, sweep } from './sweep.ts'
import { until } from './until.ts'

// Nobody else has anything in the shared home.
const asRoot = test.if(isRoot())

asRoot('of a killed run nothing stays, neither its folder nor what a link in it leads to', () => {
  using scene = sceneOf('closed')
  const home = scene.elsewhere()
  symlinkSync(home, join(scene.dataDir, 'postgres'))
  mkdirSync(programsOf(scene.left))
  sweep(scene.path)
  expect(existsSync(scene.left)).toBe(true)
  scene.grow()
  sweep(scene.path)
  expect([scene.left, home, programsOf(scene.left)].filter(existsSync)).toEqual([])
})

asRoot('what a link leads to stays while its server runs, with its parent or without, and goes with it', async () => {
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
  scene.grow()
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
})

asRoot('what a link leads to stays while a process holds it', () => {
  using scene = sceneOf('data')
  const home = scene.elsewhere()
  symlinkSync(home, join(scene.left, 'postgres'))
  scene.grow()
  const held = lockDataFolder(home)
  sweep(scene.path)
  expect([scene.left, home].filter(existsSync)).toEqual([scene.left, home])
  held.release()
  sweep(scene.path)
  expect([scene.left, home].filter(existsSync)).toEqual([])
})

asRoot(
  'what is not in the shared home stays, whoever made the link, as does what somebody else’s link leads to',
  () => {
    using scene = sceneOf('data')
    using other = sceneOf('data')
    const home = other.elsewhere()
    const outside = join(scene.path, 'a976feda')
    mkdirSync(outside)
    symlinkSync(outside, join(scene.left, 'postgres'))
    symlinkSync(home, join(other.left, 'postgres'))
    lchownSync(join(other.left, 'postgres'), 65_534, 65_534)
    for (const { path, left, grow } of [scene, other]) {
      grow()
      sweep(path)
      expect(existsSync(left)).toBe(false)
    }
    expect([outside, home].filter(existsSync)).toEqual([outside, home])
  },
)

/** What a killed test run has left, in a folder of its own; with a data folder in it that Postgres cannot enter. */
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
    /** A cluster's folder there. */
    elsewhere: () => {
      const home = join(sharedHome, crypto.randomUUID().slice(0, 8))
      mkdirSync(home, { recursive: true })
      made.push(home)
      return home
    },
    /** As if it had been there for two hours. */
    grow: () => {
      const then = new Date(Date.now() - 2 * 3_600_000)
      utimesSync(left, then, then)
    },
    [Symbol.dispose]: () => {
      for (const each of [...made, programsOf(left), path]) rmSync(each, { recursive: true, force: true })
    },
  }
}

import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { lockDataFolder, tryLockDataFolder } from '../../src/process/data-folder-lock.ts'

test('a folder that cannot be written to is not locked, and the error says so in one line', () => {
  using folder = emptyFolder()
  mkdirSync(folder.pidFile)
  expect(() => lockDataFolder(folder.path)).toThrow(
    `${folder.path} cannot be written to by this user: change its owner, or set DATA_DIR to another folder`,
  )
  expect(() => tryLockDataFolder(folder.path, 'ask Ada')).toThrow('by this user: change its owner, or ask Ada')
  rmSync(folder.pidFile, { recursive: true })
  lockDataFolder(folder.path).release()
})

test('other users cannot open the lock file of a folder', () => {
  using folder = emptyFolder()
  chmodSync(folder.path, 0o755)
  lockDataFolder(folder.path).release()
  expect(statSync(join(folder.path, 'lock')).mode & 0o777).toBe(0o600)
})

test('the error names the process that holds the lock', async () => {
  using folder = emptyFolder()
  await using holder = await holding(folder.path)
  expect(() => lockDataFolder(folder.path)).toThrow(`${folder.path} is in use by pid ${holder.pid}: stop it first`)
})

test('of ten processes that lock a folder at the same time one succeeds, and the others name it or none, but no former holder', async () => {
  using folder = emptyFolder()
  {
    await using former = await holding(folder.path)
    expect(readFileSync(folder.pidFile, 'utf8')).toStartWith(`${former.pid} `)
  }
  const all = await Promise.all(Array.from({ length: 10 }, () => holding(folder.path)))
  const winner = all.find(({ message }) => message === 'held')
  const others = all.filter(each => each !== winner).map(({ message }) => message)
  for (const each of all) await each[Symbol.asyncDispose]()
  expect(others).toHaveLength(9)
  const messageFor = (who: string) =>
    `${folder.path} is in use by ${who}: stop it first, or set DATA_DIR to another folder`
  for (const message of others)
    expect([messageFor(`pid ${winner?.pid}`), messageFor('another process')]).toContain(message)
})

/** Contents of the file while the folder is locked but its process has not written its id yet. */
const misleading: readonly (readonly [string, () => string])[] = [
  ['nothing yet', () => ''],
  ['only a process id', () => String(process.pid)],
  ['the process id of a killed process, which another program has now', () => `${process.pid} 1`],
]

test.each(misleading)('no process is named while the file contains: %s', async (_, written) => {
  using folder = emptyFolder()
  using _taken = taken(folder.path)
  writeFileSync(folder.pidFile, written())
  expect(() => lockDataFolder(folder.path)).toThrow(`${folder.path} is in use by another process: stop it first`)
})

test('a killed process is not named', async () => {
  using folder = emptyFolder()
  {
    await using _former = await holding(folder.path)
  }
  using _taken = taken(folder.path)
  expect(existsSync(folder.pidFile)).toBe(true)
  expect(() => lockDataFolder(folder.path)).toThrow('is in use by another process')
})

test('a process that has released the lock and still runs is not named', () => {
  using folder = emptyFolder()
  lockDataFolder(folder.path).release()
  using _taken = taken(folder.path)
  expect(() => lockDataFolder(folder.path)).toThrow('is in use by another process')
})

/** The state between locking and writing the process id. */
const taken = (path: string) => {
  const lock = new DatabaseSync(join(path, 'lock'))
  lock.exec('pragma locking_mode = exclusive; begin exclusive')
  return { [Symbol.dispose]: () => lock.close() }
}

/** A process that holds the lock until it is killed, or prints why it cannot. */
const holding = async (path: string) => {
  const script = `
    import ${JSON.stringify(import.meta.resolve('../harness/end-with-parent.ts'))}
    import { lockDataFolder } from ${JSON.stringify(import.meta.resolve('../../src/process/data-folder-lock.ts'))}
    try {
      lockDataFolder(${JSON.stringify(path)})
      console.log('held')
    } catch (error) {
      console.log(error.message)
    }
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    pid: child.pid,
    message: line.toString().trim(),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

const emptyFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'paymachine-hold-'))
  return { path, pidFile: join(path, 'lock.pid'), [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}

import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { lockDataFolder, tryLockDataFolder } from '../../src/process/data-folder-lock.ts'

test('a folder in which nothing can be written is held by nobody, and that is said in a line', () => {
  using folder = emptyFolder()
  mkdirSync(folder.pidFile)
  expect(() => lockDataFolder(folder.path)).toThrow(
    `${folder.path} cannot be written to by this user: change its owner, or set DATA_DIR to another folder`,
  )
  expect(() => tryLockDataFolder(folder.path, 'ask Ada')).toThrow('by this user: change its owner, or ask Ada')
  rmSync(folder.pidFile, { recursive: true })
  lockDataFolder(folder.path).release()
})

test('nobody else can open what holds a folder, whatever folder it is', () => {
  using folder = emptyFolder()
  chmodSync(folder.path, 0o755)
  lockDataFolder(folder.path).release()
  expect(statSync(join(folder.path, 'lock')).mode & 0o777).toBe(0o600)
})

test('whoever holds a folder is named', async () => {
  using folder = emptyFolder()
  await using holder = await holding(folder.path)
  expect(() => lockDataFolder(folder.path)).toThrow(`${folder.path} is in use by pid ${holder.pid}: stop it first`)
})

test('of ten that want a folder at once, all are told of the one that has it, and of nobody who had it before', async () => {
  using folder = emptyFolder()
  {
    await using former = await holding(folder.path)
    expect(readFileSync(folder.pidFile, 'utf8')).toStartWith(`${former.pid} `)
  }
  const all = await Promise.all(Array.from({ length: 10 }, () => holding(folder.path)))
  const winner = all.find(({ said }) => said === 'held')
  const others = all.filter(each => each !== winner).map(({ said }) => said)
  for (const each of all) await each[Symbol.asyncDispose]()
  expect(others).toHaveLength(9)
  const told = (who: string) => `${folder.path} is in use by ${who}: stop it first, or set DATA_DIR to another folder`
  for (const said of others) expect([told(`pid ${winner?.pid}`), told('another process')]).toContain(said)
})

/** What stands in the file while somebody has taken the folder and has not said yet who they are. */
const untrue: readonly (readonly [string, () => string])[] = [
  ['nothing yet', () => ''],
  ['a number alone', () => String(process.pid)],
  ['the number of a killed one, which another program has now', () => `${process.pid} 1`],
]

test.each(untrue)('nobody is named who may not hold the folder: %s', async (_, written) => {
  using folder = emptyFolder()
  using _taken = taken(folder.path)
  writeFileSync(folder.pidFile, written())
  expect(() => lockDataFolder(folder.path)).toThrow(`${folder.path} is in use by another process: stop it first`)
})

test('nobody is named who was killed', async () => {
  using folder = emptyFolder()
  {
    await using _former = await holding(folder.path)
  }
  using _taken = taken(folder.path)
  expect(existsSync(folder.pidFile)).toBe(true)
  expect(() => lockDataFolder(folder.path)).toThrow('is in use by another process')
})

test('nobody is named who has let go, and lives', () => {
  using folder = emptyFolder()
  lockDataFolder(folder.path).release()
  using _taken = taken(folder.path)
  expect(() => lockDataFolder(folder.path)).toThrow('is in use by another process')
})

/** As it is between the lock and the number. */
const taken = (path: string) => {
  const lock = new DatabaseSync(join(path, 'lock'))
  lock.exec('pragma locking_mode = exclusive; begin exclusive')
  return { [Symbol.dispose]: () => lock.close() }
}

/** A process that holds the folder until it is killed, or was told why it cannot. */
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
    said: line.toString().trim(),
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

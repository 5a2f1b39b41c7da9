import { expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getHead } from '../../src/sandbox/node-client.ts'
import { database } from '../harness/database.ts'
import { dataFolder, isAlive } from '../harness/embedded-parent.ts'
import { spawnMain, startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { nodeOf } from './opened.ts'

const outside = (url: string, dataDir: string) => ({
  ...{ DATABASE_URL: url, DATA_DIR: dataDir, SANDBOX: 'on' },
  SECRET_KEY: 'a secret for this test only, 1234',
})

test.concurrent('a server has its sandbox when it is ready, stops it when it is stopped, and has the same one after a restart', async () => {
  await using db = await database()
  await using folder = dataFolder()
  const heads: unknown[] = []
  for (let round = 0; round < 2; round++) {
    await using main = await startMain(outside(db.url, folder.path))
    const { pid, port, epoch } = nodeOf(folder.path)
    heads.push([port, epoch, await getHead(`http://127.0.0.1:${port}`)])
    main.child.kill('SIGTERM')
    expect(await main.exited).toBe(0)
    await until(() => !isAlive(pid))
    expect(main.lines.filter(line => line.includes('sandbox'))).toEqual([])
  }
  expect(heads[1]).toEqual(heads[0])
})

test.concurrent('a killed server leaves no anvil', async () => {
  await using db = await database()
  await using folder = dataFolder()
  await using main = await startMain(outside(db.url, folder.path))
  const { pid } = nodeOf(folder.path)
  expect(isAlive(pid)).toBe(true)
  main.child.kill('SIGKILL')
  await until(() => !isAlive(pid))
})

test.concurrent('a server with SANDBOX=off starts no anvil', async () => {
  await using db = await database()
  await using folder = dataFolder()
  await using _main = await startMain({ ...outside(db.url, folder.path), SANDBOX: 'off' })
  expect(existsSync(join(folder.path, 'sandbox'))).toBe(false)
})

test.concurrent('a server starts without anvil, and logs which setting helps', async () => {
  await using db = await database()
  await using folder = dataFolder()
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const clone = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  for (const name of ['src', 'machines', 'sql', 'tasks', 'package.json'])
    cpSync(join(root, name), join(clone, name), { recursive: true })
  mkdirSync(join(clone, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@foundry-rs') symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name))
  await using main = await spawnMain(outside(db.url, folder.path), { program: join(clone, 'src', 'main.ts') })
  await until(async () => (await main.get('/readyz'))?.status === 200, { timeoutMs: 30_000 })
  expect(main.lines.filter(line => line.includes('sandbox'))).toEqual([
    expect.stringMatching(/^The sandbox chain is not available \(no anvil for .*SANDBOX_RPC_URL/),
  ])
  rmSync(clone, { recursive: true })
})

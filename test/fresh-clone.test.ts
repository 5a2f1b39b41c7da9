import { afterAll, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPostmaster, freePort } from '../src/postgres/server.ts'
import { can, isRoot } from '../src/process/account.ts'
import { type Clone, clone, clonedFiles, processesOf, withParent } from './harness/clone.ts'
import { until } from './harness/until.ts'

const known = clonedFiles().includes('package.json')
const skipped = known ? '' : ' (skipped: git cannot list the files of a clone here)'
const ours = clone()
afterAll(() => ours[Symbol.asyncDispose]())

/** Half a gigabyte is installed while other tests run. */
const PATIENCE_MS = 180_000

const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 }
const asBoth = isRoot() && can(nobody, process.execPath, '--version') && can(nobody, 'test', '-x', ours.path)

test.skipIf(!known)(
  `a fresh clone starts with one command, and SIGTERM leaves no process${skipped}`,
  async () => {
    await startAndEnd(ours)
  },
  PATIENCE_MS,
)

test.skipIf(!known || !asBoth)(
  `the same for a user who is not root${skipped}`,
  async () => {
    await using theirs = clone(nobody.uid)
    await startAndEnd(theirs, nobody.uid)
  },
  PATIENCE_MS,
)

const startAndEnd = async (clone: Clone, owner?: number) => {
  const port = await freePort()
  await using instance = clone.run(['start'], { ...withParent(clone), PORT: String(port) })
  const ready = `Ready at http://127.0.0.1:${port}\n`
  await until(() => instance.text().includes(ready) || instance.child.exitCode !== null, { timeoutMs: PATIENCE_MS / 2 })
  expect(instance.text()).toMatch(/^Installing what is missing \(once, it takes a moment\)$/m)
  expect(instance.text()).toContain(ready)
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`)
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }])
  const server = findPostmaster(join(clone.path, '.data/postgres'))
  if (owner !== undefined) expect(statSync(`/proc/${server}`).uid).toBe(owner)

  instance.child.kill('SIGTERM')
  expect(await instance.exited).toBe(0)
  await until(() => processesOf(clone.path).length === 0, { timeoutMs: 5_000, what: 'the end of all its processes' })
  expect(findPostmaster(join(clone.path, '.data/postgres'))).toBeUndefined()
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
}

test.skipIf(!known)(
  `in a fresh clone one command runs tests${skipped}`,
  async () => {
    await using tests = ours.run(['test', 'test/ids.test.ts'])
    expect(await tests.exited).toBe(0)
    expect(tests.text()).toMatch(
      /^ [1-9]\d* pass\n 0 fail\n [1-9]\d* expect\(\) calls\nRan [1-9]\d* tests across 1 file\./m,
    )
  },
  PATIENCE_MS,
)

test.skipIf(!known)(
  `in a fresh clone one command restarts the server at every change${skipped}`,
  async () => {
    const port = await freePort()
    await using instance = ours.run(['dev'], { ...withParent(ours), PORT: String(port), SANDBOX: 'off' })
    await until(() => instance.text().includes(`Ready at http://127.0.0.1:${port}\n`), { timeoutMs: PATIENCE_MS / 2 })
    const source = join(ours.path, 'src/server/server.ts')
    writeFileSync(source, readFileSync(source, 'utf8').replace('Ready at', 'Ready again at'))
    await until(() => instance.text().includes(`Ready again at http://127.0.0.1:${port}\n`))
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
    instance.child.kill('SIGTERM')
    expect(await instance.exited).toBe(0)
    await until(() => processesOf(ours.path).length === 0, { timeoutMs: 5_000, what: 'the end of all its processes' })
  },
  PATIENCE_MS,
)

import { expect, test } from 'bun:test'
import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRoot } from '../../src/process/account.ts'
import { deployments } from '../../src/sandbox/contracts.ts'
import { callNode, getHead } from '../../src/sandbox/node-client.ts'
import { writeState } from '../../src/sandbox/saved-state.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { until } from '../harness/until.ts'
import { deployerNonce, killed, mint, nodeOf, opened, spawnKeeper } from './opened.ts'

const recipient = '0x00000000000000000000000000000000000a11ce'

/** A data folder whose latest save has one block more than the save before it. */
const usedFolder = async () => {
  const folder = dataFolder()
  const sandbox = await opened(folder.path)
  await mint(sandbox.url, recipient, 5)
  await sandbox.stop()
  const path = join(folder.path, 'sandbox')
  return { ...folder, state: join(path, 'state'), before: join(path, 'state.before'), epoch: sandbox.epoch() }
}

test.if(isRoot())('files that root saves in the folder of another user belong to that user', async () => {
  await using folder = dataFolder(tmpdir(), 65_534)
  for (const dump of ['first', 'second'])
    await writeState(folder.path, { epoch: '0'.repeat(16), dump: Buffer.from(dump) })
  for (const file of ['state', 'state.before', 'latest']) expect(statSync(join(folder.path, file)).uid).toBe(65_534)
})

const damages: Readonly<Record<string, (path: string) => void>> = {
  truncated: path => truncateSync(path, readFileSync(path).length >> 1),
  empty: path => truncateSync(path, 0),
  'full of garbage': path => writeFileSync(path, crypto.getRandomValues(new Uint8Array(50_000))),
  'of another format': path => writeFileSync(path, '{"block":null,"accounts":{}}\n'),
  missing: path => rmSync(path),
}
const kinds = Object.entries(damages)

test.each(kinds)('when the latest save is %s, the previous one is used in a new epoch', async (_, damage) => {
  await using used = await usedFolder()
  damage(used.state)
  await using sandbox = await opened(used.path)
  expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
  expect(sandbox.epoch()).not.toBe(used.epoch)
  expect(sandbox.logged).toEqual([
    'The saved sandbox chain cannot be read, so the previous one is used: its last blocks are lost',
  ])
})

test.each(kinds)(
  'when both saves are %s, an empty chain with the contracts starts a new epoch',
  async (kind, damage) => {
    await using used = await usedFolder()
    damage(used.state)
    damage(used.before)
    await using sandbox = await opened(used.path)
    expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
    expect(await deployerNonce(sandbox.url)).toBe(deployments.length)
    expect(sandbox.epoch()).not.toBe(used.epoch)
    // Nothing was ever saved.
    if (kind === 'missing') expect(sandbox.logged).toEqual([])
    else
      expect(sandbox.logged).toEqual([
        'The saved sandbox chain cannot be read, so an empty chain is used: its last blocks are lost',
      ])
  },
)

test('a complete save that the node refuses starts a new epoch', async () => {
  await using used = await usedFolder()
  const folder = join(used.path, 'sandbox')
  for (const dump of ['no archive', Bun.gzipSync('{"block":null}')])
    await writeState(folder, { epoch: '0123456789abcdef', dump: Buffer.from(dump) })
  await using sandbox = await opened(used.path)
  expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
  expect([used.epoch, '0123456789abcdef']).not.toContain(sandbox.epoch())
})

test('a new epoch is saved together with its chain', async () => {
  await using used = await usedFolder()
  damages.torn?.(used.state)
  const sandbox = await opened(used.path)
  await sandbox.stop()
  await using next = await opened(used.path)
  expect(next.epoch()).toBe(sandbox.epoch())
  expect(next.logged).toEqual([])
})

test('a save restored from a backup starts a new epoch', async () => {
  await using used = await usedFolder()
  copyFileSync(used.before, used.state)
  const sandbox = await opened(used.path)
  expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
  expect(sandbox.epoch()).not.toBe(used.epoch)
  expect(sandbox.logged).toEqual(['The saved sandbox chain is not up to date: its last blocks are lost'])
  await sandbox.stop()
  await using next = await opened(used.path)
  expect(next.epoch()).toBe(sandbox.epoch())
})

test('a kill between a save and the note that it is the latest starts no new epoch', async () => {
  await using used = await usedFolder()
  const [header = ''] = readFileSync(used.before, 'utf8').split('\n')
  writeFileSync(join(used.path, 'sandbox', 'latest'), JSON.parse(header).sha256)
  await using sandbox = await opened(used.path)
  expect(sandbox.epoch()).toBe(used.epoch)
  expect(await getHead(sandbox.url)).toMatchObject({ number: 2 })
})

test('an instance killed while it saves loses neither the chain nor the epoch', async () => {
  // On a disk, where writing a save takes long enough to be killed meanwhile.
  await using folder = dataFolder(tmpdir())
  const found: (readonly [epoch: string, number: number])[] = []
  for (let round = 0; round < 3; round++) {
    const instance = await spawnKeeper(folder.path)
    const { port, epoch } = nodeOf(folder.path)
    const url = `http://127.0.0.1:${port}`
    found.push([epoch, (await getHead(url)).number])
    let writes = false
    // The watcher reports it, however briefly the file exists.
    const watcher = watch(join(folder.path, 'sandbox'), (_, name) => {
      writes ||= name === 'state.new'
    })
    await callNode(url, 'anvil_mine', '0x7d0')
    await until(() => writes, { everyMs: 0, what: 'a save' })
    await killed(instance)
    watcher.close()
    await using next = await opened(folder.path)
    expect(next.logged).toEqual([])
    found.push([next.epoch() ?? '', (await getHead(next.url)).number])
  }
  expect(new Set(found.map(([epoch]) => epoch)).size).toBe(1)
  const numbers = found.map(([, number]) => number)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
})

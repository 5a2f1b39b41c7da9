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

const somebody = '0x00000000000000000000000000000000000a11ce'

/** A sandbox that has ended with one block more in its latest save than in the one before. */
const usedFolder = async () => {
  const folder = dataFolder()
  const sandbox = await opened(folder.path)
  await mint(sandbox.url, somebody, 5)
  await sandbox.stop()
  const path = join(folder.path, 'sandbox')
  return { ...folder, state: join(path, 'state'), before: join(path, 'state.before'), epoch: sandbox.epoch() }
}

test.if(isRoot())('what root saves in a folder of somebody else is theirs', async () => {
  await using folder = dataFolder(tmpdir(), 65_534)
  for (const dump of ['first', 'second'])
    await writeState(folder.path, { epoch: '0'.repeat(16), dump: Buffer.from(dump) })
  for (const file of ['state', 'state.before', 'latest']) expect(statSync(join(folder.path, file)).uid).toBe(65_534)
})

const damages: Readonly<Record<string, (path: string) => void>> = {
  torn: path => truncateSync(path, readFileSync(path).length >> 1),
  empty: path => truncateSync(path, 0),
  'full of garbage': path => writeFileSync(path, crypto.getRandomValues(new Uint8Array(50_000))),
  'of another format': path => writeFileSync(path, '{"block":null,"accounts":{}}\n'),
  missing: path => rmSync(path),
}
const kinds = Object.entries(damages)

test.each(kinds)('where the latest save is %s, the one before goes on in a new epoch', async (_, damage) => {
  await using used = await usedFolder()
  damage(used.state)
  await using sandbox = await opened(used.path)
  expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
  expect(sandbox.epoch()).not.toBe(used.epoch)
  expect(sandbox.said).toEqual([
    'The saved sandbox chain cannot be read, so the previous one is used: its last blocks are lost',
  ])
})

test.each(kinds)(
  'where both saves are %s, an empty chain with the contracts opens a new epoch',
  async (kind, damage) => {
    await using used = await usedFolder()
    damage(used.state)
    damage(used.before)
    await using sandbox = await opened(used.path)
    expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
    expect(await deployerNonce(sandbox.url)).toBe(deployments.length)
    expect(sandbox.epoch()).not.toBe(used.epoch)
    // Nothing was ever there.
    if (kind === 'missing') expect(sandbox.said).toEqual([])
    else
      expect(sandbox.said).toEqual([
        'The saved sandbox chain cannot be read, so an empty chain is used: its last blocks are lost',
      ])
  },
)

test('a save that is whole but nothing a node takes opens a new epoch', async () => {
  await using used = await usedFolder()
  const folder = join(used.path, 'sandbox')
  for (const dump of ['no archive', Bun.gzipSync('{"block":null}')])
    await writeState(folder, { epoch: '0123456789abcdef', dump: Buffer.from(dump) })
  await using sandbox = await opened(used.path)
  expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
  expect([used.epoch, '0123456789abcdef']).not.toContain(sandbox.epoch())
})

test('a new epoch is saved, with the chain that it goes on from', async () => {
  await using used = await usedFolder()
  damages.torn?.(used.state)
  const sandbox = await opened(used.path)
  await sandbox.stop()
  await using next = await opened(used.path)
  expect(next.epoch()).toBe(sandbox.epoch())
  expect(next.said).toEqual([])
})

test('a save that was put back goes on in a new epoch', async () => {
  await using used = await usedFolder()
  copyFileSync(used.before, used.state)
  const sandbox = await opened(used.path)
  expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
  expect(sandbox.epoch()).not.toBe(used.epoch)
  expect(sandbox.said).toEqual(['The saved sandbox chain is not up to date: its last blocks are lost'])
  await sandbox.stop()
  await using next = await opened(used.path)
  expect(next.epoch()).toBe(sandbox.epoch())
})

test('a kill between a save and the note that it is the latest opens no epoch', async () => {
  await using used = await usedFolder()
  const [header = ''] = readFileSync(used.before, 'utf8').split('\n')
  writeFileSync(join(used.path, 'sandbox', 'latest'), JSON.parse(header).sha256)
  await using sandbox = await opened(used.path)
  expect(sandbox.epoch()).toBe(used.epoch)
  expect(await getHead(sandbox.url)).toMatchObject({ number: 2 })
})

test('an instance that is killed while it saves loses no chain and no epoch', async () => {
  // On a disk, where writing a save takes long enough to be killed in.
  await using folder = dataFolder(tmpdir())
  const found: (readonly [epoch: string, number: number])[] = []
  for (let round = 0; round < 3; round++) {
    const instance = await spawnKeeper(folder.path)
    const { port, epoch } = nodeOf(folder.path)
    const url = `http://127.0.0.1:${port}`
    found.push([epoch, (await getHead(url)).number])
    let writes = false
    // Told of, however short it was there.
    const watcher = watch(join(folder.path, 'sandbox'), (_, name) => {
      writes ||= name === 'state.new'
    })
    await callNode(url, 'anvil_mine', '0x7d0')
    await until(() => writes, { everyMs: 0, what: 'a save' })
    await killed(instance)
    watcher.close()
    await using next = await opened(folder.path)
    expect(next.said).toEqual([])
    found.push([next.epoch() ?? '', (await getHead(next.url)).number])
  }
  expect(new Set(found.map(([epoch]) => epoch)).size).toBe(1)
  const numbers = found.map(([, number]) => number)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
})

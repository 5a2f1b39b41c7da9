import { expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { lockDataFolder } from '../../src/process/data-folder-lock.ts'
import { deployments, payer } from '../../src/sandbox/contracts.ts'
import { callNode, getHead } from '../../src/sandbox/node-client.ts'
import { openSandbox } from '../../src/sandbox/sandbox.ts'
import { dataFolder, isAlive, killGuard } from '../harness/embedded-parent.ts'
import { until } from '../harness/until.ts'
import { deployerNonce, dollarsOf, killed, mint, nodeOf, opened, spawnKeeper } from './opened.ts'

const somebody = '0x00000000000000000000000000000000000a11ce'

test('a restart keeps blocks, balances, receipts and nonces, at the same address', async () => {
  await using folder = dataFolder()
  const first = await opened(folder.path)
  const hash = await mint(first.url, somebody, 5)
  const facts = async (url: string) => ({
    head: await getHead(url),
    genesis: await getHead(url, '0x0'),
    dollars: await dollarsOf(url, somebody),
    receipt: await callNode(url, 'eth_getTransactionReceipt', hash),
    nonce: await callNode(url, 'eth_getTransactionCount', payer, 'latest'),
  })
  const before = await facts(first.url)
  expect(before).toMatchObject({ head: { number: 2 }, dollars: 5, receipt: { status: '0x1' }, nonce: '0x1' })
  await first.stop()
  await using second = await opened(folder.path)
  expect(await facts(second.url)).toEqual(before)
  expect([second.url, second.epoch()]).toEqual([first.url, first.epoch()])
  await mint(second.url, somebody, 1)
  expect(await getHead(second.url)).toMatchObject({ number: 3 })
})

test('what waits to be mined when the instance stops is in the chain that it comes back with', async () => {
  await using folder = dataFolder()
  const first = await opened(folder.path)
  const hash = await callNode(first.url, 'eth_sendTransaction', { from: payer, to: somebody, value: '0x5' })
  expect(await callNode(first.url, 'eth_getTransactionReceipt', hash)).toBeNull()
  await first.stop()
  await using second = await opened(folder.path)
  expect(await callNode(second.url, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  expect(Number(await callNode(second.url, 'eth_getBalance', somebody, 'latest'))).toBe(5)
})

test('nothing is deployed twice', async () => {
  await using folder = dataFolder()
  for (let round = 0; round < 3; round++) {
    await using sandbox = await opened(folder.path)
    expect(await deployerNonce(sandbox.url)).toBe(deployments.length)
    expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
    expect(sandbox.said).toEqual([])
  }
})

test('a killed instance takes its chain with it, and the next one has what was saved', async () => {
  await using folder = dataFolder()
  const instance = await spawnKeeper(folder.path)
  const node = nodeOf(folder.path)
  await mint(`http://127.0.0.1:${node.port}`, somebody, 5)
  const state = () => readFileSync(join(folder.path, 'sandbox', 'state')).toString('base64')
  const earlier = state()
  await until(() => state() !== earlier)
  await killed(instance)
  await until(() => !isAlive(node.pid))
  await using next = await opened(folder.path)
  expect(await dollarsOf(next.url, somebody)).toBe(5)
  expect(next.epoch()).toBe(node.epoch)
})

test('a chain whose instance was killed together with its guard is replaced', async () => {
  await using folder = dataFolder()
  const instance = await spawnKeeper(folder.path)
  const orphan = nodeOf(folder.path)
  instance.kill('SIGSTOP')
  killGuard(orphan.pid)
  await killed(instance)
  expect(isAlive(orphan.pid)).toBe(true)
  await using next = await opened(folder.path)
  expect(runs(orphan.pid)).toBe(false)
  expect(next.url).toBe(`http://127.0.0.1:${orphan.port}`)
  expect(next.epoch()).toBe(orphan.epoch)
})

test('a chain whose guard was killed is not left without one', async () => {
  await using folder = dataFolder()
  await using sandbox = await opened(folder.path)
  const { pid } = nodeOf(folder.path)
  killGuard(pid)
  await until(() => nodeOf(folder.path).pid !== pid)
  expect(runs(pid)).toBe(false)
  expect((await getHead(sandbox.url)).number).toBe(1)
})

test('a chain that has grown by thousands of blocks gets a fresh process, and is the same chain', async () => {
  await using folder = dataFolder()
  await using sandbox = await opened(folder.path)
  const { pid, epoch } = nodeOf(folder.path)
  await mint(sandbox.url, somebody, 5)
  await callNode(sandbox.url, 'anvil_mine', '0x1388')
  const head = await getHead(sandbox.url)
  {
    await using _busy = sandbox.keepMining()
    await until(async () => (await getHead(sandbox.url)).number >= head.number + 2)
    expect(nodeOf(folder.path).pid).toBe(pid)
  }
  await until(() => nodeOf(folder.path).pid !== pid)
  expect(nodeOf(folder.path).epoch).toBe(epoch)
  expect(await getHead(sandbox.url, `0x${head.number.toString(16)}`)).toEqual(head)
  expect(await dollarsOf(sandbox.url, somebody)).toBe(5)
  expect(sandbox.said).toEqual([])
})

test('another program that has the number of a killed chain is left alone', async () => {
  await using folder = dataFolder()
  await (await opened(folder.path)).stop()
  const bystander = spawn('sleep', ['100'], { stdio: 'ignore' })
  writeFileSync(
    join(folder.path, 'sandbox', 'node.json'),
    JSON.stringify({ ...nodeOf(folder.path), pid: bystander.pid }),
  )
  await using _next = await opened(folder.path)
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
  bystander.kill()
})

test('a chain that is killed comes back at the same address with what was saved', async () => {
  await using folder = dataFolder()
  await using sandbox = await opened(folder.path)
  const epoch = sandbox.epoch()
  await mint(sandbox.url, somebody, 5)
  const state = () => readFileSync(join(folder.path, 'sandbox', 'state')).toString('base64')
  const earlier = state()
  await until(() => state() !== earlier)
  process.kill(nodeOf(folder.path).pid, 'SIGKILL')
  await until(() => dollarsOf(sandbox.url, somebody).catch(() => undefined))
  expect(await dollarsOf(sandbox.url, somebody)).toBe(5)
  expect(sandbox.epoch()).toBe(epoch)
  expect(sandbox.said).toContain('The sandbox chain has stopped unexpectedly and is being restarted')
})

test('a chain that is killed before anything was saved again loses no more than that', async () => {
  await using folder = dataFolder()
  await using sandbox = await opened(folder.path)
  const { hash } = await getHead(sandbox.url)
  const { pid } = nodeOf(folder.path)
  await mint(sandbox.url, somebody, 5)
  process.kill(pid, 'SIGKILL')
  await until(async () => nodeOf(folder.path).pid !== pid)
  expect((await getHead(sandbox.url, '0x1')).hash).toBe(hash)
})

test('two starts at once share one chain, and the second goes on with it when the first is gone', async () => {
  await using folder = dataFolder()
  const [instance, other] = await Promise.all([spawnKeeper(folder.path), spawnKeeper(folder.path)])
  await using sandbox = await opened(folder.path)
  const { pid, port, epoch } = nodeOf(folder.path)
  expect(sandbox.url).toBe(`http://127.0.0.1:${port}`)
  expect(sandbox.epoch()).toBe(epoch)
  expect(await deployerNonce(sandbox.url)).toBe(deployments.length)
  await killed(instance)
  await killed(other)
  await until(() => nodeOfOrNone(folder.path)?.pid !== pid && sandbox.problem() === undefined)
  await until(() => mint(sandbox.url, somebody, 5).catch(() => undefined))
  expect(await until(() => sandbox.epoch())).toBe(epoch)
})

test('where the first of two starts fails, the second starts the chain', async () => {
  await using folder = dataFolder()
  mkdirSync(join(folder.path, 'sandbox'))
  const first = lockDataFolder(join(folder.path, 'sandbox'))
  const opening = opened(folder.path)
  await Bun.sleep(200)
  first.release()
  await using second = await opening
  expect(await deployerNonce(second.url)).toBe(deployments.length)
})

test('a busy port is left to whoever has it', async () => {
  await using folder = dataFolder()
  const first = await opened(folder.path)
  await first.stop()
  const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
  await new Promise(resolve => squatter.once('listening', resolve))
  await using second = await opened(folder.path)
  squatter.close()
  expect(second.url).not.toBe(first.url)
  expect(second.epoch()).toBe(first.epoch())
})

test.each([
  ['is missing', undefined, 'no anvil for'],
  ['cannot run', '/bin/false', 'anvil.log'],
  ['is not where it was', '/nowhere/anvil', '/nowhere/anvil'],
])('there is no sandbox where anvil %s, and the operator reads why', async (_, binary, reason) => {
  await using folder = dataFolder()
  const said: string[] = []
  const env = { sandbox: true, sandboxRpcUrl: undefined, dataDir: folder.path }
  expect(await openSandbox(env, { say: line => said.push(line), binary: binary ?? null })).toBeUndefined()
  expect(said).toEqual([expect.stringContaining(reason)])
  expect(said[0]).toContain('set SANDBOX_RPC_URL')
})

/** One that has ended may keep its number until somebody asks how it ended. */
const runs = (pid: number) =>
  !/^$|^Z/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout)

const nodeOfOrNone = (dataDir: string) => {
  try {
    return nodeOf(dataDir)
  } catch {
    return undefined
  }
}

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

const recipient = '0x00000000000000000000000000000000000a11ce'

test('a restart keeps blocks, balances, receipts and nonces, at the same address', async () => {
  await using folder = dataFolder()
  const first = await opened(folder.path)
  const hash = await mint(first.url, recipient, 5)
  const facts = async (url: string) => ({
    head: await getHead(url),
    genesis: await getHead(url, '0x0'),
    dollars: await dollarsOf(url, recipient),
    receipt: await callNode(url, 'eth_getTransactionReceipt', hash),
    nonce: await callNode(url, 'eth_getTransactionCount', payer, 'latest'),
  })
  const before = await facts(first.url)
  expect(before).toMatchObject({ head: { number: 2 }, dollars: 5, receipt: { status: '0x1' }, nonce: '0x1' })
  await first.stop()
  await using second = await opened(folder.path)
  expect(await facts(second.url)).toEqual(before)
  expect([second.url, second.epoch()]).toEqual([first.url, first.epoch()])
  await mint(second.url, recipient, 1)
  expect(await getHead(second.url)).toMatchObject({ number: 3 })
})

test('transactions that wait when the instance stops are in the chain after its restart', async () => {
  await using folder = dataFolder()
  const first = await opened(folder.path)
  const hash = await callNode(first.url, 'eth_sendTransaction', { from: payer, to: recipient, value: '0x5' })
  expect(await callNode(first.url, 'eth_getTransactionReceipt', hash)).toBeNull()
  await first.stop()
  await using second = await opened(folder.path)
  expect(await callNode(second.url, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  expect(Number(await callNode(second.url, 'eth_getBalance', recipient, 'latest'))).toBe(5)
})

test('nothing is deployed twice', async () => {
  await using folder = dataFolder()
  for (let round = 0; round < 3; round++) {
    await using sandbox = await opened(folder.path)
    expect(await deployerNonce(sandbox.url)).toBe(deployments.length)
    expect(await getHead(sandbox.url)).toMatchObject({ number: 1 })
    expect(sandbox.logged).toEqual([])
  }
})

test('anvil ends with its killed instance, and the next instance uses the last saved state', async () => {
  await using folder = dataFolder()
  const instance = await spawnKeeper(folder.path)
  const node = nodeOf(folder.path)
  await mint(`http://127.0.0.1:${node.port}`, recipient, 5)
  const state = () => readFileSync(join(folder.path, 'sandbox', 'state')).toString('base64')
  const earlier = state()
  await until(() => state() !== earlier)
  await killed(instance)
  await until(() => !isAlive(node.pid))
  await using next = await opened(folder.path)
  expect(await dollarsOf(next.url, recipient)).toBe(5)
  expect(next.epoch()).toBe(node.epoch)
})

test('an anvil whose instance and guard were killed together is replaced', async () => {
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

test('an anvil whose guard was killed gets a new one', async () => {
  await using folder = dataFolder()
  await using sandbox = await opened(folder.path)
  const { pid } = nodeOf(folder.path)
  killGuard(pid)
  await until(() => nodeOf(folder.path).pid !== pid)
  expect(runs(pid)).toBe(false)
  expect((await getHead(sandbox.url)).number).toBe(1)
})

test('a chain that has grown by thousands of blocks moves to a new process without changes', async () => {
  await using folder = dataFolder()
  await using sandbox = await opened(folder.path)
  const { pid, epoch } = nodeOf(folder.path)
  await mint(sandbox.url, recipient, 5)
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
  expect(await dollarsOf(sandbox.url, recipient)).toBe(5)
  expect(sandbox.logged).toEqual([])
})

test('another program that has the process id of a killed anvil is not killed', async () => {
  await using folder = dataFolder()
  await (await opened(folder.path)).stop()
  const otherProgram = spawn('sleep', ['100'], { stdio: 'ignore' })
  writeFileSync(
    join(folder.path, 'sandbox', 'node.json'),
    JSON.stringify({ ...nodeOf(folder.path), pid: otherProgram.pid }),
  )
  await using _next = await opened(folder.path)
  expect(otherProgram.exitCode ?? otherProgram.signalCode).toBeNull()
  otherProgram.kill()
})

test('a killed anvil restarts at the same address with the last saved state', async () => {
  await using folder = dataFolder()
  await using sandbox = await opened(folder.path)
  const epoch = sandbox.epoch()
  await mint(sandbox.url, recipient, 5)
  const state = () => readFileSync(join(folder.path, 'sandbox', 'state')).toString('base64')
  const earlier = state()
  await until(() => state() !== earlier)
  process.kill(nodeOf(folder.path).pid, 'SIGKILL')
  await until(() => dollarsOf(sandbox.url, recipient).catch(() => undefined))
  expect(await dollarsOf(sandbox.url, recipient)).toBe(5)
  expect(sandbox.epoch()).toBe(epoch)
  expect(sandbox.logged).toContain('The sandbox chain has stopped unexpectedly and is being restarted')
})

test('an anvil that is killed before a new save loses only the blocks since the last save', async () => {
  await using folder = dataFolder()
  await using sandbox = await opened(folder.path)
  const { hash } = await getHead(sandbox.url)
  const { pid } = nodeOf(folder.path)
  await mint(sandbox.url, recipient, 5)
  process.kill(pid, 'SIGKILL')
  await until(async () => nodeOf(folder.path).pid !== pid)
  expect((await getHead(sandbox.url, '0x1')).hash).toBe(hash)
})

test('two instances that start at the same time share one chain, and the second continues when the first ends', async () => {
  await using folder = dataFolder()
  const [instance, other] = await Promise.all([spawnKeeper(folder.path), spawnKeeper(folder.path)])
  await using sandbox = await opened(folder.path)
  const { pid, port, epoch } = nodeOf(folder.path)
  expect(sandbox.url).toBe(`http://127.0.0.1:${port}`)
  expect(sandbox.epoch()).toBe(epoch)
  expect(await deployerNonce(sandbox.url)).toBe(deployments.length)
  await killed(instance)
  await killed(other)
  await until(() => findNode(folder.path)?.pid !== pid && sandbox.problem() === undefined)
  await until(() => mint(sandbox.url, recipient, 5).catch(() => undefined))
  expect(await until(() => sandbox.epoch())).toBe(epoch)
})

test('when the first of two starts fails, the second starts the chain', async () => {
  await using folder = dataFolder()
  mkdirSync(join(folder.path, 'sandbox'))
  const first = lockDataFolder(join(folder.path, 'sandbox'))
  const opening = opened(folder.path)
  await Bun.sleep(200)
  first.release()
  await using second = await opening
  expect(await deployerNonce(second.url)).toBe(deployments.length)
})

test('a port in use is not taken over', async () => {
  await using folder = dataFolder()
  const first = await opened(folder.path)
  await first.stop()
  const portUser = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
  await new Promise(resolve => portUser.once('listening', resolve))
  await using second = await opened(folder.path)
  portUser.close()
  expect(second.url).not.toBe(first.url)
  expect(second.epoch()).toBe(first.epoch())
})

test.each([
  ['is missing', undefined, 'no anvil for'],
  ['cannot run', '/bin/false', 'anvil.log'],
  ['is not at its path', '/nowhere/anvil', '/nowhere/anvil'],
])('without a sandbox because anvil %s, the log says why', async (_, binary, reason) => {
  await using folder = dataFolder()
  const logged: string[] = []
  const env = { sandbox: true, sandboxRpcUrl: undefined, dataDir: folder.path }
  expect(await openSandbox(env, { say: line => logged.push(line), binary: binary ?? null })).toBeUndefined()
  expect(logged).toEqual([expect.stringContaining(reason)])
  expect(logged[0]).toContain('set SANDBOX_RPC_URL')
})

/** An ended process keeps its id until its parent reads its exit code. */
const runs = (pid: number) =>
  !/^$|^Z/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout)

const findNode = (dataDir: string) => {
  try {
    return nodeOf(dataDir)
  } catch {
    return undefined
  }
}

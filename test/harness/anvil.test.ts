import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { anvil } from './anvil.ts'
import { isAlive } from './embedded-parent.ts'
import { until } from './until.ts'

test('two anvil nodes started at the same time have separate chains', async () => {
  await using one = await anvil()
  await using other = await anvil()
  await one.mine(3)
  expect([(await one.head()).number, (await other.head()).number]).toEqual([3, 0])
})

test('a reorg removes blocks together with their transactions', async () => {
  await using chain = await anvil({ mining: 'none' })
  const [from, to] = chain.accounts
  await chain.mine(5)
  const hash = await chain.send({ from, to, value: '0x1' })
  await chain.mine(2)
  const removed = await chain.reorg(3)
  expect(removed).toHaveLength(3)
  expect((await chain.head()).number).toBe(8)
  expect(await chain.call('eth_getTransactionReceipt', hash)).toBeNull()
})

test('a reorg can move a transaction to another block', async () => {
  await using chain = await anvil()
  const [from, to] = chain.accounts
  await chain.mine(5)
  const hash = await chain.send({ from, to, value: '0x1', gas: '0x5208' })
  const raw = await chain.call('eth_getRawTransactionByHash', hash)
  await chain.mine(2)
  await chain.reorg(3, [[String(raw), 2]])
  expect(await chain.call('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x8', status: '0x1' })
})

test('a reorg also replaces empty blocks by different ones', async () => {
  await using chain = await anvil({ mining: 'none' })
  await chain.mine(300)
  expect(await chain.reorg(150)).toHaveLength(150)
  expect(await chain.rollback(10)).toHaveLength(10)
  expect((await chain.head()).number).toBe(290)
})

test.each([false, true])(
  'anvil ends with its killed test process, also when anvil itself is stopped: %p',
  async isStopped => {
    const script = `
    import ${JSON.stringify(import.meta.resolve('./end-with-parent.ts'))}
    import { anvil } from ${JSON.stringify(import.meta.resolve('./anvil.ts'))}
    console.log((await anvil()).pid)
    setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
    const pid = Number(await new Promise(resolve => child.stdout.once('data', resolve)))
    expect(isAlive(pid)).toBe(true)
    if (isStopped) process.kill(pid, 'SIGSTOP')
    child.kill('SIGKILL')
    await until(() => !isAlive(pid))
  },
)

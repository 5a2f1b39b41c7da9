import { expect, test } from 'bun:test'
import { owner, payer } from '../../src/sandbox/contracts.ts'
import { startNodeMonitor } from '../../src/sandbox/node-monitor.ts'
import { openRemote } from '../../src/sandbox/remote.ts'
import { anvil, type TestChain } from '../harness/anvil.ts'
import { until } from '../harness/until.ts'

/** A pulse over a chain that nothing else mines, and the number of its polls. */
const pulseOver = async (chain: TestChain, everyMs = 100) => {
  let polls = 0
  const miner = openRemote(chain.url)
  const count = async () => {
    polls++
    await miner.prepare()
  }
  const pulse = startNodeMonitor({ ...miner, prepare: count }, () => {}, everyMs)
  await pulse.first
  return { ...pulse, polls: () => polls, [Symbol.asyncDispose]: pulse.stop }
}

const number = async (chain: TestChain) => (await chain.head()).number

test('nothing is mined while no transaction and no payment waits', async () => {
  await using chain = await anvil({ mining: 'none' })
  await using pulse = await pulseOver(chain)
  const before = await number(chain)
  await until(() => pulse.polls() >= 4)
  expect(await number(chain)).toBe(before)
})

test('a block is mined every second while a payment waits, and none afterwards', async () => {
  await using chain = await anvil({ mining: 'none' })
  await using pulse = await pulseOver(chain, 1_000)
  const { number: before } = await chain.head()
  const since = performance.now()
  {
    await using _one = pulse.keepMining()
    await using _other = pulse.keepMining()
    await until(async () => (await number(chain)) >= before + 3)
    expect(performance.now() - since).toBeGreaterThan(2_000)
    expect(performance.now() - since).toBeLessThan(5_000)
  }
  const polls = pulse.polls()
  await until(() => pulse.polls() >= polls + 3)
  // A poll may have been in progress.
  expect(await number(chain)).toBeLessThanOrEqual(before + 4)
})

test("a wallet's transaction is mined although no payment waits", async () => {
  await using chain = await anvil({ mining: 'none' })
  await using _pulse = await pulseOver(chain)
  const hash = await chain.call('eth_sendTransaction', { from: payer, to: owner, value: '0x1' })
  await until(async () => (await chain.call('eth_getTransactionReceipt', hash)) !== null)
})

test('no block is mined while another program mines', async () => {
  await using chain = await anvil({ args: ['--block-time', '1'] })
  await using pulse = await pulseOver(chain, 1_100)
  await using _busy = pulse.keepMining()
  const { number: before } = await chain.head()
  const since = performance.now()
  await until(() => pulse.polls() >= 5)
  const most = 2 + (performance.now() - since) / 1_000
  expect((await number(chain)) - before).toBeLessThanOrEqual(most)
})

test('two processes that mine one chain mine no more blocks than one, also when they start at the same moment', async () => {
  await using chain = await anvil({ mining: 'none' })
  const [one, other] = await Promise.all([pulseOver(chain, 500), pulseOver(chain, 500)])
  await using _one = one
  await using _other = other
  using _busy = one.keepMining()
  using _busyToo = other.keepMining()
  const before = await number(chain)
  const since = performance.now()
  await until(() => one.polls() >= 11)
  // After a pause the polls of a process come closer together, but blocks do not; it takes a few polls to separate.
  const most = 3 + (performance.now() - since) / 500
  expect((await number(chain)) - before).toBeLessThanOrEqual(most)
})

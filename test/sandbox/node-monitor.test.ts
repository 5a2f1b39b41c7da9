import { expect, test } from 'bun:test'
import { owner, payer } from '../../src/sandbox/contracts.ts'
import { startNodeMonitor } from '../../src/sandbox/node-monitor.ts'
import { openRemote } from '../../src/sandbox/remote.ts'
import { anvil, type TestChain } from '../harness/anvil.ts'
import { until } from '../harness/until.ts'

/** A pulse over a chain that nobody mines, and how often it has looked. */
const pulseOver = async (chain: TestChain, everyMs = 100) => {
  let looks = 0
  const keeper = openRemote(chain.url)
  const count = async () => {
    looks++
    await keeper.prepare()
  }
  const pulse = startNodeMonitor({ ...keeper, prepare: count }, () => {}, everyMs)
  await pulse.first
  return { ...pulse, looks: () => looks, [Symbol.asyncDispose]: pulse.stop }
}

const number = async (chain: TestChain) => (await chain.head()).number

test('nothing is mined while nothing waits', async () => {
  await using chain = await anvil({ mining: 'none' })
  await using pulse = await pulseOver(chain)
  const before = await number(chain)
  await until(() => pulse.looks() >= 4)
  expect(await number(chain)).toBe(before)
})

test('a block a second comes while something waits, and none afterwards', async () => {
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
  const looks = pulse.looks()
  await until(() => pulse.looks() >= looks + 3)
  // A look may have been under way.
  expect(await number(chain)).toBeLessThanOrEqual(before + 4)
})

test('what a wallet sends is mined though no payment waits', async () => {
  await using chain = await anvil({ mining: 'none' })
  await using _pulse = await pulseOver(chain)
  const hash = await chain.call('eth_sendTransaction', { from: payer, to: owner, value: '0x1' })
  await until(async () => (await chain.call('eth_getTransactionReceipt', hash)) !== null)
})

test('whoever else mines is not mined over', async () => {
  await using chain = await anvil({ args: ['--block-time', '1'] })
  await using pulse = await pulseOver(chain, 1_100)
  await using _busy = pulse.keepMining()
  const { number: before } = await chain.head()
  const since = performance.now()
  await until(() => pulse.looks() >= 5)
  const most = 2 + (performance.now() - since) / 1_000
  expect((await number(chain)) - before).toBeLessThanOrEqual(most)
})

test('two that keep one chain mine no more blocks than one, also when they begin at the same moment', async () => {
  await using chain = await anvil({ mining: 'none' })
  const [one, other] = await Promise.all([pulseOver(chain, 500), pulseOver(chain, 500)])
  await using _one = one
  await using _other = other
  using _busy = one.keepMining()
  using _busyToo = other.keepMining()
  const before = await number(chain)
  const since = performance.now()
  await until(() => one.looks() >= 11)
  // Looks of a process that had to wait come closer together, but blocks do not; it takes a few to come apart.
  const most = 3 + (performance.now() - since) / 500
  expect((await number(chain)) - before).toBeLessThanOrEqual(most)
})

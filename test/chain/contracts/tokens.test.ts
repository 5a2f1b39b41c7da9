import { expect, test } from 'bun:test'
import { forwarderOf, saltOf } from '../../../src/chain/forwarder.ts'
import { type FactoryChain, factoryChain, lower, stuckIn } from './chain.ts'

const treasury = '0x52908400098527886e0f7030069857d2e4169ee7'
const salt = saltOf(new Uint8Array(32).fill(7), 1)
const forwarder = forwarderOf(treasury)(salt)

/** Collects one address with this token between two standard tokens. */
const collectBeside = async (chain: FactoryChain, token: string) => {
  const [first, mean, last] = [
    await chain.deploy('good-token'),
    await chain.deploy(token),
    await chain.deploy('good-token'),
  ]
  for (const each of [first, mean, last]) await chain.mint(each, [forwarder], 1000n)
  const receipt = await chain.collect(treasury, [salt], [first, mean, last])
  for (const good of [first, last]) {
    expect(await chain.tokenBalance(good, treasury)).toBe(1000n)
    expect(await chain.tokenBalance(good, forwarder)).toBe(0n)
  }
  const [left, came] = [await chain.tokenBalance(mean, forwarder), await chain.tokenBalance(mean, treasury)]
  return { left, came, stuck: stuckIn(receipt).map(([, each]) => (each === lower(mean) ? 'it' : each)) }
}

test.each([
  ['that returns nothing', 'no-return-token', 1000n],
  ['that keeps a fee', 'fee-token', 990n],
  ['that returns as much data as the gas allows', 'small-bomb-token', 1000n],
])('a token %s is swept, and so are the other tokens', async (_, token, came) => {
  await using chain = await factoryChain()
  expect(await collectBeside(chain, token)).toEqual({ left: 0n, came, stuck: [] })
})

test.each([
  ['that returns false', 'false-return-token'],
  ['that reverts', 'reverting-token'],
  ['that returns a megabyte', 'bomb-token'],
  ['that uses all gas', 'endless-token'],
])('a token %s stays and is reported, and the other tokens are swept', async (_, token) => {
  await using chain = await factoryChain()
  expect(await collectBeside(chain, token)).toEqual({ left: 1000n, came: 0n, stuck: ['it'] })
})

test('a token whose balanceOf fails, and an address without a token, are reported', async () => {
  await using chain = await factoryChain()
  const silent = await chain.deploy('silent-token')
  const good = await chain.deploy('good-token')
  await chain.mint(good, [forwarder], 5n)
  const receipt = await chain.collect(treasury, [salt], [silent, '0x00000000000000000000000000000000000000aa', good])
  expect(stuckIn(receipt)).toEqual([
    [forwarder, lower(silent)],
    [forwarder, '0x00000000000000000000000000000000000000aa'],
  ])
  expect(await chain.tokenBalance(good, treasury)).toBe(5n)
})

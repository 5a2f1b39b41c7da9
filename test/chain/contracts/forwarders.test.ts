import { expect, test } from 'bun:test'
import { encodeFunctionData, type Hex, parseAbi, toHex, zeroAddress } from 'viem'
import { factory, forwarderOf, saltOf, sweeper } from '../../../src/chain/forwarder.ts'
import { collectData, factoryChain, stuckIn } from './chain.ts'

const secret = new Uint8Array(32).fill(7)
const saltsOf = (count: number): Hex[] => Array.from({ length: count }, (_, at) => saltOf(secret, at + 1))
const treasury = '0x52908400098527886e0f7030069857d2e4169ee7'
const [salt = '0x'] = saltsOf(1)
const forwarder = forwarderOf(treasury)(salt)
const coin = zeroAddress

test('coins are moved, and an address without any costs nothing but gas', async () => {
  await using chain = await factoryChain()
  await chain.pay(forwarder, 7n)
  expect(stuckIn(await chain.collect(treasury, saltsOf(3), [coin]))).toEqual([])
  expect(await chain.coins(treasury)).toBe(7n)
  expect(await chain.coins(forwarder)).toBe(0n)
})

test.each([
  ['refuses coins', 'refusing-treasury'],
  ['eats all gas', 'gas-eating-treasury'],
])('of a treasury that %s the coins stay, and the tokens are moved', async (_, name) => {
  await using chain = await factoryChain()
  const contract = await chain.deploy(name)
  const forwarders = saltsOf(3).map(forwarderOf(contract))
  const good = await chain.deploy('good-token')
  await chain.mint(good, forwarders, 5n)
  for (const each of forwarders) await chain.pay(each, 7n)

  const receipt = await chain.collect(contract, saltsOf(3), [coin, good])
  expect(stuckIn(receipt)).toEqual(forwarders.map(each => [each, coin]))
  expect(await chain.tokens(good, contract)).toBe(15n)
  for (const each of forwarders) expect(await chain.coins(each)).toBe(7n)
})

test('a treasury that collects again while it is paid gets everything once', async () => {
  await using chain = await factoryChain()
  const contract = await chain.deploy('reentering-treasury')
  const forwarders = saltsOf(5).map(forwarderOf(contract))
  const good = await chain.deploy('good-token')
  // Their code is there, so that the gas of one sweep is enough for collections within it.
  await chain.collect(contract, saltsOf(5), [coin])
  await chain.mint(good, forwarders, 5n)
  for (const each of forwarders) await chain.pay(each, 7n)
  const again = collectData(contract, saltsOf(5), [coin])
  await chain.send(contract, encodeFunctionData({ abi: reentering, functionName: 'prepare', args: [factory, again] }))

  expect(stuckIn(await chain.collect(contract, saltsOf(5), [coin, good]))).toEqual([])
  expect(await chain.coins(contract)).toBe(35n)
  expect(await chain.tokens(good, contract)).toBe(25n)
  const deepest = await chain.client.readContract({ address: contract, abi: reentering, functionName: 'deepest' })
  expect(deepest).toBe(3n)
})

const reentering = parseAbi([
  'function prepare(address forwarders, bytes message)',
  'function deepest() view returns (uint256)',
])

test('whoever gives 2,300 gas can pay before the first sweep and after it', async () => {
  await using chain = await factoryChain()
  const payer = await chain.deploy('stipend-payer')
  const pay = (value: bigint) => chain.send(payer, encodeFunctionData({ abi: paying, args: [forwarder] }), { value })
  expect((await pay(5n)).status).toBe('success')
  await chain.collect(treasury, [salt], [coin])
  expect((await pay(6n)).status).toBe('success')
  await chain.collect(treasury, [salt], [coin])
  expect(await chain.coins(treasury)).toBe(11n)
})

const paying = parseAbi(['function pay(address to) payable'])

test('a wallet pays with 21,000 gas before the first sweep, and needs 21,015 after it', async () => {
  await using chain = await factoryChain()
  expect((await chain.pay(forwarder, 5n, { gas: 21_000n })).status).toBe('success')
  await chain.collect(treasury, [salt], [coin])
  expect((await chain.pay(forwarder, 6n, { gas: 21_000n })).status).toBe('reverted')
  expect((await chain.pay(forwarder, 6n, { gas: 21_015n })).status).toBe('success')
})

test('coins that come with data are taken before the first sweep, and go back to the payer after it', async () => {
  await using chain = await factoryChain()
  expect((await chain.send(forwarder, '0xabcdef', { value: 5n })).status).toBe('success')
  await chain.collect(treasury, [salt], [coin])
  expect((await chain.send(forwarder, '0xabcdef', { value: 6n, gas: 100_000n })).status).toBe('reverted')
  expect(await chain.coins(forwarder)).toBe(0n)
})

test('a stranger who collects first has collected for the treasury, and nothing is in the way afterwards', async () => {
  await using chain = await factoryChain()
  const [, stranger] = await chain.client.getAddresses()
  if (!stranger) throw new Error('anvil has one account')
  await chain.pay(forwarder, 5n)
  await chain.collect(treasury, [salt], [coin], { from: stranger })
  expect(await chain.coins(treasury)).toBe(5n)

  await chain.pay(forwarder, 6n)
  expect(stuckIn(await chain.collect(treasury, saltsOf(3), [coin]))).toEqual([])
  expect(await chain.coins(treasury)).toBe(11n)
})

test("an attacker's treasury gets another address, and nothing", async () => {
  await using chain = await factoryChain()
  const attacker = '0x00000000000000000000000000000000000bad01'
  await chain.pay(forwarder, 5n)
  await chain.collect(attacker, [salt], [coin])
  expect(await chain.coins(attacker)).toBe(0n)
  expect(await chain.coins(forwarder)).toBe(5n)
  expect(await chain.client.getCode({ address: forwarder })).toBeUndefined()
  expect(forwarderOf(attacker)(salt)).not.toBe(forwarder)
})

test('a forwarder and the sweeper give nothing to whoever calls them themselves', async () => {
  await using chain = await factoryChain()
  await chain.collect(treasury, [salt], [coin])
  await chain.pay(forwarder, 5n)
  const sweep = (token: Hex) => encodeFunctionData({ abi: sweeping, args: [token] })
  expect((await chain.send(forwarder, sweep(coin), { gas: 100_000n })).status).toBe('success')
  expect(await chain.coins(treasury)).toBe(5n)
  expect((await chain.send(sweeper, '0x', { value: 5n, gas: 100_000n })).status).toBe('reverted')
  expect((await chain.send(forwarder, '0xdeadbeef', { gas: 100_000n })).status).toBe('reverted')
})

const sweeping = parseAbi(['function sweep(address token) returns (bool)'])

test('the same salt twice is swept once', async () => {
  await using chain = await factoryChain()
  const good = await chain.deploy('good-token')
  await chain.mint(good, [forwarder], 9n)
  await chain.pay(forwarder, 5n)
  expect(stuckIn(await chain.collect(treasury, [salt, salt], [coin, good]))).toEqual([])
  expect(await chain.coins(treasury)).toBe(5n)
  expect(await chain.tokens(good, treasury)).toBe(9n)
})

test('without a treasury nothing is collected', async () => {
  await using chain = await factoryChain()
  expect((await chain.collect(zeroAddress, [salt], [coin], { gas: 300_000n })).status).toBe('reverted')
})

test('with whatever too little gas, all is moved or the transaction has done nothing', async () => {
  await using chain = await factoryChain()
  const good = await chain.deploy('good-token')
  const salts = saltsOf(3)
  const results = new Set<string>()
  for (let gas = 40_000n; gas < 290_000n; gas += 10_000n) {
    // Each time one that has nothing yet: to take the chain back to a snapshot now and then loses what is sent next.
    const fresh = toHex(gas, { size: 20 })
    await chain.mint(good, salts.map(forwarderOf(fresh)), 5n)
    const receipt = await chain.collect(fresh, salts, [good], { gas })
    results.add(`${receipt.status} ${await chain.tokens(good, fresh)} ${stuckIn(receipt).length}`)
  }
  expect([...results]).toEqual(['reverted 0 0', 'success 15 0'])
})

import { expect, test } from 'bun:test'
import { encodeFunctionData, type Hex, parseAbi, toHex, zeroAddress } from 'viem'
import { factory, forwarderOf, saltOf, sweeper } from '../../../src/chain/forwarder.ts'
import { collectData, factoryChain, stuckIn } from './chain.ts'

const secret = new Uint8Array(32).fill(7)
const saltsOf = (count: number): Hex[] => Array.from({ length: count }, (_, at) => saltOf(secret, at + 1))
const treasury = '0x52908400098527886e0f7030069857d2e4169ee7'
const [salt = '0x'] = saltsOf(1)
const forwarder = forwarderOf(treasury)(salt)
const nativeAsset = zeroAddress

test('native currency is swept, and an empty address costs only gas', async () => {
  await using chain = await factoryChain()
  await chain.pay(forwarder, 7n)
  expect(stuckIn(await chain.collect(treasury, saltsOf(3), [nativeAsset]))).toEqual([])
  expect(await chain.nativeBalance(treasury)).toBe(7n)
  expect(await chain.nativeBalance(forwarder)).toBe(0n)
})

test.each([
  ['refuses native currency', 'refusing-treasury'],
  ['uses all gas', 'gas-eating-treasury'],
])('for a treasury that %s, native currency stays and tokens are swept', async (_, name) => {
  await using chain = await factoryChain()
  const contract = await chain.deploy(name)
  const forwarders = saltsOf(3).map(forwarderOf(contract))
  const good = await chain.deploy('good-token')
  await chain.mint(good, forwarders, 5n)
  for (const each of forwarders) await chain.pay(each, 7n)

  const receipt = await chain.collect(contract, saltsOf(3), [nativeAsset, good])
  expect(stuckIn(receipt)).toEqual(forwarders.map(each => [each, nativeAsset]))
  expect(await chain.tokenBalance(good, contract)).toBe(15n)
  for (const each of forwarders) expect(await chain.nativeBalance(each)).toBe(7n)
})

test('a treasury that reenters the collection is paid once', async () => {
  await using chain = await factoryChain()
  const contract = await chain.deploy('reentering-treasury')
  const forwarders = saltsOf(5).map(forwarderOf(contract))
  const good = await chain.deploy('good-token')
  // Deployed first, so that the gas of one sweep is enough for a nested collection.
  await chain.collect(contract, saltsOf(5), [nativeAsset])
  await chain.mint(good, forwarders, 5n)
  for (const each of forwarders) await chain.pay(each, 7n)
  const again = collectData(contract, saltsOf(5), [nativeAsset])
  await chain.send(contract, encodeFunctionData({ abi: reentering, functionName: 'prepare', args: [factory, again] }))

  expect(stuckIn(await chain.collect(contract, saltsOf(5), [nativeAsset, good]))).toEqual([])
  expect(await chain.nativeBalance(contract)).toBe(35n)
  expect(await chain.tokenBalance(good, contract)).toBe(25n)
  const deepest = await chain.client.readContract({ address: contract, abi: reentering, functionName: 'deepest' })
  expect(deepest).toBe(3n)
})

const reentering = parseAbi([
  'function prepare(address forwarders, bytes message)',
  'function deepest() view returns (uint256)',
])

test('a payer that forwards 2,300 gas can pay before and after the first sweep', async () => {
  await using chain = await factoryChain()
  const payer = await chain.deploy('stipend-payer')
  const pay = (value: bigint) => chain.send(payer, encodeFunctionData({ abi: paying, args: [forwarder] }), { value })
  expect((await pay(5n)).status).toBe('success')
  await chain.collect(treasury, [salt], [nativeAsset])
  expect((await pay(6n)).status).toBe('success')
  await chain.collect(treasury, [salt], [nativeAsset])
  expect(await chain.nativeBalance(treasury)).toBe(11n)
})

const paying = parseAbi(['function pay(address to) payable'])

test('a wallet pays with 21,000 gas before the first sweep and 21,015 after it', async () => {
  await using chain = await factoryChain()
  expect((await chain.pay(forwarder, 5n, { gas: 21_000n })).status).toBe('success')
  await chain.collect(treasury, [salt], [nativeAsset])
  expect((await chain.pay(forwarder, 6n, { gas: 21_000n })).status).toBe('reverted')
  expect((await chain.pay(forwarder, 6n, { gas: 21_015n })).status).toBe('success')
})

test('native currency sent with data is accepted before the first sweep and reverted after it', async () => {
  await using chain = await factoryChain()
  expect((await chain.send(forwarder, '0xabcdef', { value: 5n })).status).toBe('success')
  await chain.collect(treasury, [salt], [nativeAsset])
  expect((await chain.send(forwarder, '0xabcdef', { value: 6n, gas: 100_000n })).status).toBe('reverted')
  expect(await chain.nativeBalance(forwarder)).toBe(0n)
})

test('a collection by another account pays the treasury and does not prevent later ones', async () => {
  await using chain = await factoryChain()
  const [, stranger] = await chain.client.getAddresses()
  if (!stranger) throw new Error('anvil has one account')
  await chain.pay(forwarder, 5n)
  await chain.collect(treasury, [salt], [nativeAsset], { from: stranger })
  expect(await chain.nativeBalance(treasury)).toBe(5n)

  await chain.pay(forwarder, 6n)
  expect(stuckIn(await chain.collect(treasury, saltsOf(3), [nativeAsset]))).toEqual([])
  expect(await chain.nativeBalance(treasury)).toBe(11n)
})

test('a collection with another treasury moves nothing, as its forwarder has another address', async () => {
  await using chain = await factoryChain()
  const attacker = '0x00000000000000000000000000000000000bad01'
  await chain.pay(forwarder, 5n)
  await chain.collect(attacker, [salt], [nativeAsset])
  expect(await chain.nativeBalance(attacker)).toBe(0n)
  expect(await chain.nativeBalance(forwarder)).toBe(5n)
  expect(await chain.client.getCode({ address: forwarder })).toBeUndefined()
  expect(forwarderOf(attacker)(salt)).not.toBe(forwarder)
})

test('direct calls of a forwarder or the sweeper pay only the treasury', async () => {
  await using chain = await factoryChain()
  await chain.collect(treasury, [salt], [nativeAsset])
  await chain.pay(forwarder, 5n)
  const sweep = (token: Hex) => encodeFunctionData({ abi: sweeping, args: [token] })
  expect((await chain.send(forwarder, sweep(nativeAsset), { gas: 100_000n })).status).toBe('success')
  expect(await chain.nativeBalance(treasury)).toBe(5n)
  expect((await chain.send(sweeper, '0x', { value: 5n, gas: 100_000n })).status).toBe('reverted')
  expect((await chain.send(forwarder, '0xdeadbeef', { gas: 100_000n })).status).toBe('reverted')
})

const sweeping = parseAbi(['function sweep(address token) returns (bool)'])

test('a duplicate salt is swept once', async () => {
  await using chain = await factoryChain()
  const good = await chain.deploy('good-token')
  await chain.mint(good, [forwarder], 9n)
  await chain.pay(forwarder, 5n)
  expect(stuckIn(await chain.collect(treasury, [salt, salt], [nativeAsset, good]))).toEqual([])
  expect(await chain.nativeBalance(treasury)).toBe(5n)
  expect(await chain.tokenBalance(good, treasury)).toBe(9n)
})

test('a collection to the zero address reverts', async () => {
  await using chain = await factoryChain()
  expect((await chain.collect(zeroAddress, [salt], [nativeAsset], { gas: 300_000n })).status).toBe('reverted')
})

test('with too little gas the collection either moves everything or reverts', async () => {
  await using chain = await factoryChain()
  const good = await chain.deploy('good-token')
  const salts = saltsOf(3)
  const results = new Set<string>()
  for (let gas = 40_000n; gas < 290_000n; gas += 10_000n) {
    // A new treasury each time: after a revert to a snapshot, anvil sometimes loses the next transaction.
    const fresh = toHex(gas, { size: 20 })
    await chain.mint(good, salts.map(forwarderOf(fresh)), 5n)
    const receipt = await chain.collect(fresh, salts, [good], { gas })
    results.add(`${receipt.status} ${await chain.tokenBalance(good, fresh)} ${stuckIn(receipt).length}`)
  }
  expect([...results]).toEqual(['reverted 0 0', 'success 15 0'])
})

import { expect, test } from 'bun:test'
import { parseAbi, zeroAddress } from 'viem'
import forwarders from '../../src/chain/contracts/forwarders.json' with { type: 'json' }
import {
  deploymentProxy,
  factory,
  factoryAbi,
  factoryDeployment,
  forwarderCode,
  forwarderOf,
  saltOf,
  sweeper,
} from '../../src/chain/forwarder.ts'
import { factoryChain, lower } from './contracts/chain.ts'

const treasury = '0x52908400098527886e0f7030069857d2e4169ee7'
const secret = new Uint8Array(32).fill(7)

test('factory, sweeper and forwarders are deployed at their computed addresses', async () => {
  await using chain = await factoryChain({ bare: true })
  const code = (address: `0x${string}`) => chain.client.getCode({ address })
  const salts = [1, 2, 3].map(counter => saltOf(secret, counter))
  const forwarders = salts.map(forwarderOf(treasury))
  for (const address of [factory, sweeper, ...forwarders]) expect(await code(address)).toBeUndefined()

  await chain.send(deploymentProxy, factoryDeployment)
  expect(await code(factory)).toBeString()
  expect(await code(sweeper)).toBeString()
  const deployed = await chain.client.readContract({
    address: factory,
    abi: parseAbi(['function sweeper() view returns (address)']),
    functionName: 'sweeper',
  })
  expect(lower(deployed)).toBe(sweeper)

  await chain.collect(treasury, salts, [zeroAddress])
  for (const forwarder of forwarders) expect(await code(forwarder)).toBe(forwarderCode(treasury))
})

test('the addresses of factory, sweeper and forwarders never change', () => {
  const salt = saltOf(secret, 1)
  expect({ factory, sweeper, salt, forwarder: forwarderOf(treasury)(salt) }).toMatchInlineSnapshot(`
    {
      "factory": "0xfee2254a07d11ed07be7df776cd6f13ddd5e6f3f",
      "forwarder": "0xbe3ae20858478501eda6e4b98255206771ebeb68",
      "salt": "0xc95f56381ac7d2ae0a57a888a0b4c7c83cb88d77744eae6a07579a3e00b84e2f",
      "sweeper": "0x095edf0110512fbd21143fada2f2d3cafbecb682",
    }
  `)
})

test('each secret and counter has its own salt, up to the largest safe integer', () => {
  const secrets = [secret, new Uint8Array(32).fill(8)]
  const counters = [0, 1, 256, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]
  const salts = secrets.flatMap(each => counters.map(counter => saltOf(each, counter)))
  expect(new Set(salts).size).toBe(12)
})

test('an invalid treasury, counter, secret or salt is refused', () => {
  for (const none of [
    zeroAddress,
    '0x',
    '0x52908400098527886e0f7030069857d2e4169e',
    '0x52908400098527886E0F7030069857D2E4169EE8',
  ] as const)
    expect(() => forwarderOf(none)).toThrow('treasury')
  for (const counter of [-1, 1.5, Number.NaN, 2 ** 53]) expect(() => saltOf(secret, counter)).toThrow('counter')
  for (const length of [0, 31, 33]) expect(() => saltOf(new Uint8Array(length), 1)).toThrow('32 bytes')
  expect(() => forwarderOf(treasury)('0x12')).toThrow('32 bytes')
})

test('the ABI in the source is that of the compiled contract', () => {
  const signatures = (abi: readonly { type: string; name?: string }[]) =>
    abi.filter(({ name }) => name !== 'sweeper' && name !== undefined).map(entry => normal(entry))
  expect(signatures(factoryAbi).toSorted()).toEqual(signatures(forwarders.abi).toSorted())
})

/** Without the fields that solc adds for display. */
const normal = (entry: object): string =>
  JSON.stringify(entry, (key, value) => {
    if (key === 'internalType' || (key === 'anonymous' && value === false)) return undefined
    return value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value
  })

import { expect, test } from 'bun:test'
import { createWalletClient, decodeFunctionResult, encodeFunctionData, http, parseAbi } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { factory, factoryAbi } from '../../src/chain/forwarder.ts'
import { owner, payer, sandboxContracts } from '../../src/sandbox/contracts.ts'
import { getHead } from '../../src/sandbox/node-client.ts'
import { anvil } from '../harness/anvil.ts'
import { until } from '../harness/until.ts'
import { dollarsOf, mint, opened } from './opened.ts'

const recipient = '0x00000000000000000000000000000000000a11ce'
const standard = 'test test test test test test test test test test test junk'

const abi = parseAbi([
  'function transfer(address, uint256) returns (bool)',
  'function approve(address, uint256) returns (bool)',
  'function transferFrom(address, address, uint256) returns (bool)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function description() view returns (string)',
  'function set(int256, uint256)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
])

test('the accounts are the first two of the standard development mnemonic', () => {
  const addresses = [0, 1].map(addressIndex => mnemonicToAccount(standard, { addressIndex }).address.toLowerCase())
  expect(addresses).toEqual([owner, payer])
})

test('any account can mint test dollars and transfer its own', async () => {
  await using chain = await anvil()
  await using _sandbox = await opened('/nowhere', chain.url)
  const wallet = createWalletClient({
    account: mnemonicToAccount(standard, { addressIndex: 5 }),
    chain: foundry,
    transport: http(chain.url),
  })
  const token = `0x${sandboxContracts.token.slice(2)}` as const
  await mint(chain.url, wallet.account.address, 12_340_000)
  await wallet.writeContract({ address: token, abi, functionName: 'transfer', args: [recipient, 2_340_000n] })
  // A node that mines by itself returns before the block is mined.
  await until(async () => (await dollarsOf(chain.url, recipient)) === 2_340_000)
  expect(await dollarsOf(chain.url, wallet.account.address)).toBe(10_000_000)
  const more = encodeFunctionData({ abi, functionName: 'transfer', args: [recipient, 10_000_001n] })
  await expect(
    chain.call('eth_call', { from: wallet.account.address, to: token, data: more }, 'latest'),
  ).rejects.toThrow('eth_call: refused')
})

test('an account spends no more than its allowance', async () => {
  await using chain = await anvil()
  await using _sandbox = await opened('/nowhere', chain.url)
  const [, holder, spender] = chain.accounts
  const to = sandboxContracts.token
  await mint(chain.url, String(holder), 100)
  const allow = encodeFunctionData({ abi, functionName: 'approve', args: [String(spender) as `0x${string}`, 60n] })
  await chain.send({ from: holder, to, data: allow })
  const take = (value: bigint) =>
    encodeFunctionData({ abi, functionName: 'transferFrom', args: [String(holder) as `0x${string}`, recipient, value] })
  await chain.send({ from: spender, to, data: take(50n) })
  expect(await dollarsOf(chain.url, recipient)).toBe(50)
  const refused = await chain.send({ from: spender, to, data: take(11n), gas: '0x186a0' })
  expect(await chain.call('eth_getTransactionReceipt', refused)).toMatchObject({ status: '0x0' })
  expect(await dollarsOf(chain.url, recipient)).toBe(50)
})

test('the price exists from the first block, and any account can set another', async () => {
  await using chain = await anvil()
  await using _sandbox = await opened('/nowhere', chain.url)
  const to = sandboxContracts.feed
  const read = async (functionName: 'latestRoundData' | 'description' | 'decimals') => {
    const data = encodeFunctionData({ abi, functionName })
    const { hash } = await getHead(chain.url)
    const answer = String(await chain.call('eth_call', { to, data }, { blockHash: hash })) as `0x${string}`
    return decodeFunctionResult({ abi, functionName, data: answer })
  }
  expect([await read('description'), await read('decimals')]).toEqual(['ETH / USD', 8])
  const block = (await chain.call('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }
  const [round, price, startedAt, updatedAt, answeredIn] = (await read('latestRoundData')) as readonly bigint[]
  expect([round, price, answeredIn]).toEqual([1n, 250_000_000_000n, 1n])
  expect(startedAt).toBe(updatedAt)
  // The node may count the seconds of a call from another moment than those of its block.
  expect(Number(updatedAt) - Number(block.timestamp)).toBeWithin(-2, 3)
  await chain.send({ to, from: payer, data: encodeFunctionData({ abi, functionName: 'set', args: [-1n, 7n] }) })
  expect(await read('latestRoundData')).toEqual([2n, -1n, 7n, 7n, 2n])
})

test('the factory is deployed, so that received money can be collected immediately', async () => {
  await using chain = await anvil()
  await using _sandbox = await opened('/nowhere', chain.url)
  const data = encodeFunctionData({ abi: factoryAbi, functionName: 'collect', args: [recipient, [], []] })
  const answer = String(await chain.call('eth_call', { to: factory, data }, 'latest')) as `0x${string}`
  expect(decodeFunctionResult({ abi: factoryAbi, functionName: 'collect', data: answer })).toEqual([])
})

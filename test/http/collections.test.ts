import { afterAll, beforeAll, expect, test } from 'bun:test'
import { getAddress, type Hex, zeroAddress } from 'viem'
import { deploymentProxy, factory } from '../../src/chain/forwarder.ts'
import { balanceRoutes } from '../../src/http/balances.ts'
import { collectionRoutes } from '../../src/http/collections.ts'
import { sandboxTreasury } from '../../src/sandbox/treasury.ts'
import { type FactoryChain, factoryChain, stuckIn } from '../chain/contracts/chain.ts'
import {
  addressesOf,
  bookFinal,
  chainOf,
  connected,
  type Given,
  otherTreasury,
  readToHead,
  treasury,
} from '../collect/waiting.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { type Shop, shop } from './people.ts'

const FAR_CHAIN_ID = 84532
let chain: FactoryChain
let farChain: FactoryChain
let token: Hex
let farToken: Hex
let server: ApiServer

beforeAll(async () => {
  chain = await factoryChain()
  farChain = await factoryChain({ chainId: FAR_CHAIN_ID, bare: true })
  token = await chain.deploy('freezing-token')
  farToken = await farChain.deploy('good-token')
  server = await apiServer({
    routes: [...balanceRoutes, ...collectionRoutes],
    chains: connected([
      { chain: chainOf(token), urls: [chain.url] },
      { chain: chainOf(farToken, FAR_CHAIN_ID), urls: [farChain.url] },
      { chain: chainOf(token, 5), urls: ['http://127.0.0.1:9/key'] },
    ]),
  })
})
afterAll(async () => {
  for (const each of [server, chain, farChain]) await each[Symbol.asyncDispose]()
})

type Collection = {
  step: string
  treasury: Hex | null
  unsignedTransaction: { chainId: number; to: Hex; data: Hex; value: string; gas: number } | null
  addresses: number
  gasPerAddress: number | null
  amounts: { asset: string; amount: string }[]
  remaining: number
  leftOut: { reason: string; asset: string; amount: string; addresses: number }[]
  otherTreasuries: { treasury: Hex; addresses: number }[]
}

const post = ({ path, owner }: Shop, json: object, query = '') =>
  server.call('POST', `${path}/collections${query}`, { bearer: owner.bearer, json })
const ask = async (of: Shop, json: object = {}): Promise<Collection> => {
  const { status, json: collection } = await post(of, { chainId: 31337, ...json })
  expect([status, collection]).toMatchObject([201, { object: 'collection', livemode: false }])
  return collection as Collection
}
/** Any account may send it. */
const send = async (on: FactoryChain, { unsignedTransaction }: Collection) => {
  if (!unsignedTransaction) throw new Error('no transaction to send')
  const { to, data, gas } = unsignedTransaction
  const [, stranger = '0x'] = await on.client.getAddresses()
  const receipt = await on.send(to, data, { gas: BigInt(gas), from: stranger })
  expect([receipt.status, stuckIn(receipt)]).toEqual(['success', []])
  return receipt
}
const pay = async (of: Shop, count: number, amount: bigint, given?: Given) => {
  const addresses = await addressesOf(server.api, of, count, given)
  await chain.mint(token, addresses, amount)
  await bookFinal(server.api, chain, addresses, { token })
  return addresses
}

test('200 addresses are collected by one transaction that any account can send, and the rest by the next', async () => {
  const lamps = await shop(server.api)
  const addresses = await pay(lamps, 203, 100n)
  const first = await ask(lamps)
  expect(first).toMatchObject({
    chainId: 31337,
    network: 'Chain 31337',
    asset: null,
    treasury: getAddress(treasury),
    step: 'collect',
    unsignedTransaction: { chainId: 31337, to: getAddress(factory), value: '0' },
    addresses: 200,
    amounts: [{ asset: 'TUSD', tokenAddress: getAddress(token), decimals: 6, amount: '20000', addresses: 200 }],
    remaining: 3,
    leftOut: [],
    otherTreasuries: [],
  } as never)
  const { gasUsed } = await send(chain, first)
  expect(Number(gasUsed) / 200).toBeLessThanOrEqual(60_000)
  expect(first.gasPerAddress).toBeWithin(Math.floor(Number(gasUsed) / 200), 65_000)
  const second = await ask(lamps)
  expect(second).toMatchObject({ step: 'collect', addresses: 3, remaining: 0, amounts: [{ amount: '300' }] })
  await send(chain, second)
  expect(await chain.tokenBalance(token, treasury)).toBe(20_300n)
  expect(await ask(lamps)).toMatchObject({ step: 'nothing', treasury: null, unsignedTransaction: null, addresses: 0 })

  // An address that was collected before is collected again, with less gas.
  await readToHead(server.api, chain)
  await chain.mint(token, addresses.slice(0, 9), 7n)
  await bookFinal(server.api, chain, addresses.slice(0, 9), { token })
  const again = await ask(lamps)
  expect(again).toMatchObject({ addresses: 9, amounts: [{ amount: '63' }] })
  expect((await send(chain, again)).gasUsed / 9n).toBeLessThan(20_000n)
})

test('without a factory the first transaction deploys it and the next one collects', async () => {
  const lamps = await shop(server.api)
  const addresses = await addressesOf(server.api, lamps, 2)
  await farChain.mint(farToken, addresses, 100n)
  await farChain.pay(addresses[0] ?? '0x', 5n)
  await bookFinal(server.api, farChain, addresses, { chainId: FAR_CHAIN_ID, token: farToken })
  const first = await ask(lamps, { chainId: FAR_CHAIN_ID })
  expect(first).toMatchObject({ step: 'deploy_factory', addresses: 0, gasPerAddress: null, amounts: [], remaining: 2 })
  expect(first.unsignedTransaction).toMatchObject({ chainId: FAR_CHAIN_ID, to: getAddress(deploymentProxy) })
  await send(farChain, first)
  for (let left = 1; left >= 0; left--) {
    const next = await ask(lamps, { chainId: FAR_CHAIN_ID })
    expect(next).toMatchObject({ step: 'collect', addresses: 1, remaining: left })
    await send(farChain, next)
  }
  expect(await farChain.tokenBalance(farToken, treasury)).toBe(200n)
  expect(await farChain.nativeBalance(treasury)).toBe(5n)
})

test('an asset or another treasury can be collected alone by naming it', async () => {
  const lamps = await shop(server.api)
  const addresses = await pay(lamps, 2, 100n)
  const [other = '0x'] = await pay(lamps, 1, 40n, { to: otherTreasury })
  for (const address of addresses) await chain.pay(address, 5n)
  const native = await ask(lamps, { asset: 'ETH' })
  expect(native).toMatchObject({ asset: 'ETH', amounts: [{ asset: 'ETH', tokenAddress: null, amount: '10' }] })
  expect(native.otherTreasuries).toEqual([])
  const all = await ask(lamps)
  expect(all.amounts.map(({ asset, amount }) => [asset, amount])).toEqual([
    ['ETH', '10'],
    ['TUSD', '200'],
  ])
  expect(all.otherTreasuries).toEqual([{ treasury: getAddress(otherTreasury), addresses: 1 }])
  const ofOthers = await ask(lamps, { treasury: getAddress(otherTreasury) })
  expect(ofOthers).toMatchObject({ addresses: 1, amounts: [{ amount: '40' }], treasury: getAddress(otherTreasury) })
  expect(ofOthers.otherTreasuries).toEqual([{ treasury: getAddress(treasury), addresses: 2 }])
  await send(chain, ofOthers)
  expect(await chain.tokenBalance(token, otherTreasury)).toBe(40n)
  expect(await chain.tokenBalance(token, other)).toBe(0n)
  expect(await ask(lamps, { treasury: otherTreasury })).toMatchObject({ step: 'nothing', treasury: null })
})

test('money that may still be a payment, and money frozen by a token, is left out and reported', async () => {
  const lamps = await shop(server.api)
  await pay(lamps, 1, 30n, { open: true })
  const [frozen = '0x'] = await pay(lamps, 2, 100n)
  await chain.freeze(token, frozen)
  const collection = await ask(lamps)
  expect(collection).toMatchObject({ addresses: 1, remaining: 0, amounts: [{ amount: '100' }] })
  expect(collection.leftOut.map(({ reason, asset, amount, addresses }) => [reason, asset, amount, addresses])).toEqual([
    ['payment_open', 'TUSD', '30', 1],
    ['refused', 'TUSD', '100', 1],
  ])
  await send(chain, collection)
  expect(await ask(lamps)).toMatchObject({ step: 'nothing', remaining: 0, unsignedTransaction: null })
})

test('money on another chain is collected if the treasury is a key, or the same contract there', async () => {
  const lamps = await shop(server.api)
  const safe = await chain.deploy('reentering-treasury')
  const [toKey = '0x'] = await addressesOf(server.api, lamps, 1)
  const [toSafe = '0x'] = await addressesOf(server.api, lamps, 1, { to: safe })
  for (const address of [toKey, toSafe]) await farChain.pay(address, 5n)
  await bookFinal(server.api, farChain, [toKey, toSafe], { chainId: FAR_CHAIN_ID })
  const before = await farChain.nativeBalance(treasury)
  const rescue = await ask(lamps, { chainId: FAR_CHAIN_ID })
  expect(rescue).toMatchObject({ step: 'collect', addresses: 1, treasury: getAddress(treasury) })
  expect(rescue.leftOut).toMatchObject([
    { reason: 'treasury_differs', amount: '5', treasury: getAddress(safe) } as never,
  ])
  await send(farChain, rescue)
  expect(await farChain.nativeBalance(treasury)).toBe(before + 5n)

  const code = await chain.client.getCode({ address: safe })
  await farChain.client.setCode({ address: safe, bytecode: code ?? '0x' })
  const same = await ask(lamps, { chainId: FAR_CHAIN_ID })
  expect(same).toMatchObject({ addresses: 1, treasury: getAddress(safe), leftOut: [] })
  // The chain on which it was to be paid is unreachable.
  await server.sql`update payments set chain_id = 5 where id = (select payment_id from deposit_addresses where address = ${toSafe})`
  expect(await ask(lamps, { chainId: FAR_CHAIN_ID })).toMatchObject({
    step: 'nothing',
    leftOut: [{ reason: 'treasury_unknown' }],
  })
})

test('real money at a sandbox address is not collected, since anybody could take it from its treasury', async () => {
  const lamps = await shop(server.api)
  const [address = '0x'] = await addressesOf(server.api, lamps, 1, { to: sandboxTreasury(lamps.merchantId) })
  for (const [on, chainId] of [
    [chain, 31337],
    [farChain, FAR_CHAIN_ID],
  ] as const) {
    await on.pay(address, 5n)
    await bookFinal(server.api, on, [address], { chainId })
  }
  expect(await ask(lamps, { chainId: FAR_CHAIN_ID })).toMatchObject({
    step: 'nothing',
    leftOut: [{ reason: 'treasury_public' }],
  })
  expect(await ask(lamps)).toMatchObject({ step: 'collect', addresses: 1, leftOut: [] })
})

test('a request for something that cannot be collected is refused with its parameter, and an unreachable chain is reported', async () => {
  const lamps = await shop(server.api)
  const codeOf = async (json: object, query = '') => {
    const answer = await post(lamps, json, query)
    const { error } = answer.json as { error: { code: string; param?: string } }
    return [answer.status, error.code, error.param]
  }
  expect(await codeOf({ chainId: 7 })).toEqual([422, 'unsupported_asset', 'chainId'])
  expect(await codeOf({ chainId: 31337 }, '?livemode=true')).toEqual([422, 'unsupported_asset', 'chainId'])
  expect(await codeOf({ chainId: 31337, asset: 'USDC' })).toEqual([422, 'unsupported_asset', 'asset'])
  expect(await codeOf({ chainId: 31337, treasury: zeroAddress })).toEqual([400, 'parameter_invalid', 'treasury'])
  expect(await codeOf({})).toEqual([400, 'parameter_missing', 'chainId'])
  await bookFinal(server.api, chain, await addressesOf(server.api, lamps, 1), { chainId: 5 })
  expect(await codeOf({ chainId: 5 })).toEqual([503, 'chain_unavailable', undefined])
})

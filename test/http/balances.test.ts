import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { saltOf } from '../../src/chain/forwarder.ts'
import { recoverySecretOf } from '../../src/commands/deposits.ts'
import { balanceRoutes } from '../../src/http/balances.ts'
import { exportRoutes } from '../../src/http/exports/routes.ts'
import { type FactoryChain, factoryChain } from '../chain/contracts/chain.ts'
import { addressesOf, bookFinal, chainOf, connected, otherTreasury, readToHead, treasury } from '../collect/waiting.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { type Shop, shop } from './people.ts'

const FAR_CHAIN_ID = 84532
let chain: FactoryChain
let farChain: FactoryChain
let token: Hex
let server: ApiServer

beforeAll(async () => {
  chain = await factoryChain()
  farChain = await factoryChain({ chainId: FAR_CHAIN_ID })
  token = await chain.deploy('good-token')
  const farToken = await farChain.deploy('good-token')
  const live = { ...chainOf(token, 1), livemode: true }
  server = await apiServer({
    routes: [...balanceRoutes, ...exportRoutes],
    chains: connected([
      { chain: chainOf(token), urls: [chain.url] },
      { chain: chainOf(farToken, FAR_CHAIN_ID), urls: [farChain.url] },
      // Nothing listens there.
      { chain: live, urls: ['http://127.0.0.1:9/key'] },
    ]),
  })
})
afterAll(async () => {
  for (const each of [server, chain, farChain]) await each[Symbol.asyncDispose]()
})

type Balance = { asset: string; amount: string; addresses: number; treasury: string; chainId: number }
type Balances = { data: Balance[]; has_more: boolean; unavailable: { chainId: number }[] }

const read = async ({ path, owner }: Shop, query = '') => {
  const { status, json } = await server.call('GET', `${path}/balances${query}`, { bearer: owner.bearer })
  expect(status).toBe(200)
  return json as Balances
}
const amounts = ({ data }: Balances) =>
  data.map(({ chainId, asset, amount, addresses, treasury: to }) => [chainId, asset, amount, addresses, to.slice(0, 6)])
const waitingRows = async ({ merchantId }: Shop) =>
  (await server.sql`select from waiting_addresses where merchant_id = ${merchantId}`).length

test('waiting money is added up by chain, asset and treasury, whatever it was sent for, and per merchant', async () => {
  const [lamps, chairs] = [await shop(server.api), await shop(server.api, 'Chairs')]
  const [one = '0x', two = '0x', unpaid = '0x'] = await addressesOf(server.api, lamps, 3)
  const [other = '0x'] = await addressesOf(server.api, lamps, 1, { to: otherTreasury })
  const [theirs = '0x'] = await addressesOf(server.api, chairs, 1)
  await chain.mint(token, [one, two, other, theirs, unpaid], 100n)
  await chain.pay(two, 5n)
  await farChain.pay(one, 7n)
  // The address without a final transfer is not read.
  await bookFinal(server.api, chain, [one, two, other, theirs], { token })
  await bookFinal(server.api, farChain, [one], { chainId: FAR_CHAIN_ID })

  const balances = await read(lamps)
  expect(amounts(balances)).toEqual([
    [31337, 'ETH', '5', 1, '0x5290'],
    [31337, 'TUSD', '200', 2, '0x5290'],
    [31337, 'TUSD', '100', 1, '0x8617'],
    [FAR_CHAIN_ID, 'ETH', '7', 1, '0x5290'],
  ])
  expect(balances).toMatchObject({ has_more: false, unavailable: [] })
  expect(balances.data[1]).toEqual({
    object: 'balance',
    chainId: 31337,
    network: 'Chain 31337',
    asset: 'TUSD',
    tokenAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    decimals: 6,
    amount: '200',
    addresses: 2,
    treasury: '0x52908400098527886E0F7030069857D2E4169EE7',
    livemode: false,
  } as never)
  expect(amounts(await read(chairs))).toEqual([[31337, 'TUSD', '100', 1, '0x5290']])
})

test('an address that is empty in a final block is not read again until it receives money', async () => {
  const lamps = await shop(server.api)
  const [one = '0x', two = '0x'] = await addressesOf(server.api, lamps, 2)
  await chain.mint(token, [one, two], 100n)
  await bookFinal(server.api, chain, [one, two], { token })
  await chain.collect(treasury, await saltsOf(lamps, [one]), [token])
  expect(amounts(await read(lamps))).toEqual([[31337, 'TUSD', '100', 1, '0x5290']])
  // The block is not final yet.
  await read(lamps)
  expect(await waitingRows(lamps)).toBe(2)
  await readToHead(server.api, chain)
  await read(lamps)
  expect(await waitingRows(lamps)).toBe(1)

  await chain.mint(token, [one], 30n)
  await bookFinal(server.api, chain, [one], { token })
  expect(amounts(await read(lamps))).toEqual([[31337, 'TUSD', '130', 2, '0x5290']])
})

test('an export has the balances of the list, and records which addresses are empty', async () => {
  const lamps = await shop(server.api)
  const [one = '0x', two = '0x'] = await addressesOf(server.api, lamps, 2)
  await chain.mint(token, [one, two], 100n)
  await bookFinal(server.api, chain, [one, two], { token })
  await chain.collect(treasury, await saltsOf(lamps, [one]), [token])
  const lines = async () => {
    const headers = { authorization: `Bearer ${lamps.owner.bearer}` }
    const answer = await fetch(`${server.url}${lamps.path}/exports/balances.ndjson`, { headers })
    expect(answer.status).toBe(200)
    return (await answer.text()).split('\n').slice(0, -1)
  }
  expect((await lines()).map(line => JSON.parse(line))).toEqual((await read(lamps)).data)
  await readToHead(server.api, chain)
  expect(await lines()).toHaveLength(1)
  expect(await waitingRows(lamps)).toBe(1)
})

test('money that a reorg brings back is reported again', async () => {
  const lamps = await shop(server.api)
  const [one = '0x'] = await addressesOf(server.api, lamps, 1)
  await chain.mint(token, [one], 100n)
  await bookFinal(server.api, chain, [one], { token })
  await chain.collect(treasury, await saltsOf(lamps, [one]), [token])
  expect(amounts(await read(lamps))).toEqual([])
  await chain.node.reorg(1)
  await readToHead(server.api, chain)
  expect(amounts(await read(lamps))).toEqual([[31337, 'TUSD', '100', 1, '0x5290']])
  expect(await waitingRows(lamps)).toBe(1)
})

test('a node that hides money for a while does not make the service forget it', async () => {
  await using hidingChain = await factoryChain()
  // With the same token at the same address; otherwise the address would not seem empty.
  expect(await hidingChain.deploy('good-token')).toBe(token)
  await hidingChain.node.mine(50)
  await using two = await apiServer({
    routes: balanceRoutes,
    chains: connected([{ chain: chainOf(token), urls: [hidingChain.url, chain.url] }]),
  })
  const lamps = await shop(two.api)
  const addresses = await addressesOf(two.api, lamps, 1)
  await chain.mint(token, addresses, 100n)
  await bookFinal(two.api, chain, addresses, { token })
  for (let round = 0; round < 3; round++) {
    await two.call('GET', `${lamps.path}/balances`, { bearer: lamps.owner.bearer })
    await readToHead(two.api, hidingChain)
  }
  expect([...(await two.sql`select empty_number from waiting_addresses`)]).toEqual([{ empty_number: null }])
})

test('an unreachable chain is reported, and each mode has its own chains', async () => {
  const lamps = await shop(server.api)
  const addresses = await addressesOf(server.api, lamps, 1, { livemode: true })
  await chain.pay(addresses[0] ?? '0x', 9n)
  expect(await read(lamps, '?livemode=true')).toEqual({
    object: 'list',
    data: [],
    has_more: false,
    unavailable: [],
  } as never)
  for (const chainId of [1, 31337]) await bookFinal(server.api, chain, addresses, { chainId })
  const live = await read(lamps, '?livemode=true')
  expect(live).toMatchObject({ data: [], unavailable: [{ chainId: 1, network: 'Chain 1' }] })
  // Test money sent to the address of a live payment is reported in test mode.
  expect(amounts(await read(lamps))).toEqual([[31337, 'ETH', '9', 1, '0x5290']])
})

/** The salts of these addresses, derived as from the recovery file. */
const saltsOf = async ({ merchantId }: Shop, addresses: readonly Hex[]) => {
  const secret = await recoverySecretOf(server.api, server.api.keyring, merchantId)
  const rows = await server.sql<{ counter: string }[]>`
    select counter from deposit_addresses where address = any(${[...addresses]})`
  return rows.map(({ counter }) => saltOf(secret, Number(counter)))
}

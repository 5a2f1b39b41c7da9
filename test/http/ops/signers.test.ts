import { afterAll, expect, test } from 'bun:test'
import { toHex } from 'viem/utils'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { opsRoutes } from '../../../src/http/ops/routes.ts'
import { encodeId, uuidv7 } from '../../../src/ids.ts'
import { addSigner, removeSigner } from '../../../src/queries/signer-setup.ts'
import { postponeSigning } from '../../../src/queries/signing.ts'
import { testChain } from '../../chain/watch/test-node.ts'
import { apiServer } from '../../harness/api.ts'
import { unusedPort } from '../../harness/unused-port.ts'
import { operator, shop } from '../people.ts'
import { makeRefund } from '../refunds.ts'

const anvil = await testChain()
const urls = [anvil.url]
const chain = sandboxChain({ token: anvil.token, feed: anvil.token, euroFeed: anvil.token })
const server = await apiServer({ routes: opsRoutes, chains: outside => connectChains([chain], () => urls, outside) })
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await anvil[Symbol.asyncDispose]()
})
const { sql, api } = server
const { bearer } = await operator(api)

const list = async () => {
  const { status, json, text } = await server.call('GET', '/v1/ops/signers', { bearer })
  expect(status).toBe(200)
  return { signers: (json as { data: readonly { address: string; balance: string | null }[] }).data, text }
}

const addressOf = (digit: string): string => `0x${digit.repeat(40)}`

const newSigner = async (digit: string, { chainId = chain.id, mode = 'signer' } = {}) => {
  const { merchantId } = await shop(api)
  const id = uuidv7(new Date(), api.random)
  await sql`
    insert into merchant_settings (merchant_id, livemode, refund_mode) values (${merchantId}, false, ${mode})
    on conflict on constraint merchant_settings_pkey do update set refund_mode = ${mode}`
  const given = { id, merchantId, chainId, address: addressOf(digit), sealedKey: 'MARKED-sealed', firstNonce: 0 }
  expect(await addSigner(sql, { ...given, limits: [{ currency: 'USD', perRefundMinor: 1, perDayMinor: 1 }] })).toBe(
    'added',
  )
  return { id, merchantId }
}

test('each signer has its balance, its state, and why refunds are not signed', async () => {
  const rich = await newSigner('1')
  const poor = await newSigner('2')
  const off = await newSigner('3', { mode: 'manual' })
  const elsewhere = await newSigner('4', { chainId: 424_242 })
  const removed = await newSigner('5')
  await removeSigner(sql, { merchantId: removed.merchantId, chainId: chain.id })
  await anvil.rpc('anvil_setBalance', addressOf('1'), toHex(31_000_000_000_000_000n))
  const { merchantId } = poor
  const refundId = await makeRefund(api, { merchantId, livemode: false }, addressOf('9'))
  const [refund] = await sql<{ id: string }[]>`select id from refunds where merchant_id = ${merchantId}`
  expect(refundId).toBe(encodeId('re', refund?.id ?? ''))
  expect(await postponeSigning(sql, { refundId: refund?.id ?? '', signerId: poor.id, reason: 'no_gas' })).toBe(true)

  const { signers, text } = await list()
  const shared = { chainId: chain.id, network: chain.network, asset: 'ETH', openTransactions: 0, unclearSince: null }
  const at = (digit: string) => signers.find(({ address }) => address === addressOf(digit))
  expect(at('1')).toEqual({
    ...{ merchantId: encodeId('mer', rich.merchantId), address: addressOf('1'), status: 'on' },
    ...{ ...shared, balance: '31000000000000000', waits: [] },
  })
  expect(at('2')).toEqual({
    ...{ merchantId: encodeId('mer', merchantId), address: addressOf('2'), status: 'on', ...shared, balance: '0' },
    waits: [{ reason: 'no_gas', count: 1, since: expect.any(String) }],
  } as never)
  expect(at('3')).toMatchObject({ merchantId: encodeId('mer', off.merchantId), status: 'off', balance: '0' } as never)
  expect(at('4')).toMatchObject({
    ...{ merchantId: encodeId('mer', elsewhere.merchantId), chainId: 424_242, network: '424242' },
    ...{ asset: null, balance: null },
  } as never)
  // Its key is erased, and nothing that it has signed is open.
  expect(at('5')).toBeUndefined()
  expect(text).not.toContain('MARKED')
})

test('a chain that does not answer leaves its balances out, and nothing else', async () => {
  urls[0] = `http://127.0.0.1:${await unusedPort()}/key-in-path`
  await using other = await apiServer({
    routes: opsRoutes,
    chains: outside => connectChains([chain], () => urls, outside),
  })
  const { merchantId } = await shop(other.api)
  await addSigner(other.sql, {
    ...{ id: uuidv7(new Date(), api.random), merchantId, chainId: chain.id, address: addressOf('6'), limits: [] },
    ...{ sealedKey: 'sealed', firstNonce: 0 },
  })
  const made = await operator(other.api)
  const { json, text } = await other.call('GET', '/v1/ops/signers', { bearer: made.bearer })
  expect(json).toMatchObject({ data: [{ address: addressOf('6'), asset: 'ETH', balance: null, status: 'off' }] })
  expect(text).not.toContain('key-in-path')
})

import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { decodeId, encodeId, uuidv7 } from '../../../src/ids.ts'
import { addSigner } from '../../../src/queries/signer-setup.ts'
import dollar from '../../../src/sandbox/contracts/test-dollar.json' with { type: 'json' }
import { SIGNER_PURPOSE } from '../../../src/sealed-columns.ts'
import { openNamedLocks } from '../../../src/signer/named-locks.ts'
import { signRefund } from '../../../src/signer/sign.ts'
import { type FaultyNode, faultyNode } from '../../harness/faulty-node.ts'
import { until } from '../../harness/until.ts'
import { receiver } from '../../webhooks/receiver.ts'
import { signUp } from '../dashboard/harness.ts'
import { refundsServer } from '../dashboard/refunds-server.ts'
import { sandboxShop } from '../dashboard/sandbox-shop.ts'

/** A shop of an operator, whose payments can be stuck in two ways, each of them really. */
export const openTrial = async () => {
  await using starting = new AsyncDisposableStack()
  let node: FaultyNode | undefined
  const through = async (url: string) => {
    node = starting.use(await faultyNode(url))
    return node.url
  }
  // Deliveries that it redirects fail for good.
  const elsewhere = starting.use(await receiver(302))
  const shop = starting.use(await sandboxShop('Lamps & Light', { through, env: { WEBHOOK_ALLOW: '127.0.0.0/8' } }))
  const { call, merchant, served } = shop
  const { sql } = served.server
  await sql`update accounts set operator = true`
  const path = `/v1/merchants/${merchant}`

  /** The node answers everything but receipts, so that nothing is read on of a block with this payment. */
  const withholdReceipts = async (): Promise<string> => {
    const link = await call('POST', `${path}/payment-links`, { amountMinor: 1000, currency: 'USD' })
    const opened = await served.server.call('POST', `/v1/checkout/links/${link.id}/payments`, {
      json: { customerEmail: 'ada@example.com' },
    })
    const { payment, clientSecret } = Object(opened.json)
    await served.server.call('POST', `/v1/checkout/payments/${payment.id}/asset`, {
      headers: { 'client-secret': clientSecret },
      json: { chainId: 31337, asset: 'ETH' },
    })
    node?.break('lies_about_receipt', { how: 'missing' })
    // It is answered when the payment is seen.
    void call('POST', `${path}/payments/${payment.id}/simulate`, { scenario: 'paid' }).catch(() => {})
    return payment.id
  }

  /** An endpoint that has taken no event for three days; the payment is the first whose event it does not take. */
  const disableEndpoint = async (): Promise<string> => {
    const endpoint = await call('POST', `${path}/webhook-endpoints?livemode=false`, {
      url: elsewhere.url,
      eventTypes: ['payment.succeeded'],
    })
    const payment = await shop.payAndWait()
    for (let n = 0; n < 10; n++) await call('POST', `${path}/webhook-endpoints/${endpoint.id}/test`)
    await until(async () => (await sql`select from deliveries where state <> 'failed'`).length === 0)
    await sql`update webhook_endpoints set enabled_at = date_trunc('milliseconds', now() - interval '73 hours')`
    await call('POST', `${path}/webhook-endpoints/${endpoint.id}/test`)
    await until(async () => (await sql`select from webhook_endpoints where state = 'disabled'`).length === 1)
    return payment
  }

  const rest = starting.move()
  return {
    ...{ shop, withholdReceipts, disableEndpoint },
    giveReceipts: () => node?.mend(),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

/**
 * The third way: a shop whose refund signer has no gas. Signers of the sandbox fund themselves, so it is another server. The
 * payment, and its refund.
 */
export const openGasTrial = async () => {
  await using starting = new AsyncDisposableStack()
  const served = starting.use(await refundsServer())
  const { server, merchantId } = served
  const { sql, api } = server
  await sql`update accounts set operator = true`
  await sql`
    insert into merchant_settings (merchant_id, livemode, refund_mode) values (${merchantId}, false, 'signer')
    on conflict on constraint merchant_settings_pkey do update set refund_mode = 'signer'`
  const id = uuidv7(new Date(), api.random)
  const key = generatePrivateKey()
  const address = privateKeyToAccount(key).address.toLowerCase()
  await addSigner(sql, {
    ...{ id, merchantId, chainId: 31337, address, firstNonce: 0 },
    sealedKey: api.keyring.seal(SIGNER_PURPOSE, id, key),
    limits: [{ currency: 'USD', perRefundMinor: 10_000, perDayMinor: 1_000_000 }],
  })
  // It has what is refunded, and nothing for gas. The token of the fixture only logs: a real one takes its place.
  const { rpc, token } = served.on.chain
  const [from] = await rpc<string[]>('eth_accounts')
  const send = async (transaction: object): Promise<unknown> => {
    const hash = await rpc('eth_sendTransaction', { from, gas: '0x300000', ...transaction })
    await rpc('anvil_mine', '0x1')
    return rpc('eth_getTransactionReceipt', hash)
  }
  const { contractAddress } = Object(await send({ data: dollar.bytecode }))
  await rpc('anvil_setCode', token, await rpc('eth_getCode', contractAddress, 'latest'))
  await send({
    to: token,
    data: `0x40c10f19${address.slice(2).padStart(64, '0')}${(10_000).toString(16).padStart(64, '0')}`,
  })
  // Of another shop, which hinders nothing here. Nothing waits for it.
  const account = { email: 'olga@lamps.example', password: 'correct horse battery' }
  const other = decodeId('mer', await signUp(served, account, 'Other')) ?? ''
  await sql`insert into merchant_settings (merchant_id, livemode, refund_mode) values (${other}, false, 'signer')
    on conflict on constraint merchant_settings_pkey do update set refund_mode = 'signer'`
  await addSigner(sql, {
    ...{ id: uuidv7(new Date(), api.random), merchantId: other, chainId: 31337, address: `0x${'9'.repeat(40)}` },
    ...{ sealedKey: 'sealed', firstNonce: 0, limits: [] },
  })
  const refund = await served.made()
  await signRefund({ ...api, sandbox: undefined }, openNamedLocks(), decodeId('re', refund) ?? '')
  const [paid] = await sql<{ id: string }[]>`select payment_id as id from refunds`
  const visit = starting.use(await served.open('/ops', { viewport: { width: 1280, height: 800 }, locale: 'en-US' }))
  const rest = starting.move()
  return {
    ...{ sql, page: visit.page, url: server.url, refund, payment: encodeId('pay', paid?.id ?? '') },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

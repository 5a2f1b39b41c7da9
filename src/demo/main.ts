import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { createWalletClient, defineChain, erc20Abi, type Hex, http, publicActions } from 'viem'
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { type DemoAnswer, type DemoCall, openCalls } from './call.ts'
import { startDemoServer } from './demo-server.ts'
import { startReceiver } from './receiver.ts'

/**
 * A shop's first day on a server of its own, in test mode: from the sign-up to a refund, each step by the API that
 * merchants use. Prints each step with its record, and fails when a record is not as it should be.
 */
const demo = async () => {
  console.log('Starting a server with an empty data folder')
  await using server = await startDemoServer()
  console.log(`The server runs at ${server.url}`)
  const publicCall = openCalls(server.url)

  const password = randomBytes(12).toString('base64url')
  const account = await publicCall('POST', '/v1/auth/sign-up', {
    email: 'anna@lamps.example',
    password,
    merchantName: 'Lamps',
  })
  const merchantId = account.text('merchants.0.id')
  const merchant = `/v1/merchants/${merchantId}`
  const owner = openCalls(server.url, account.text('accessToken'))
  show('Sign up', { user: account.json.user, merchants: account.json.merchants })

  // The key of this wallet stays here: the server learns its address alone.
  const wallet = openWallet(server.nodeUrl)
  const settings = await owner('PATCH', `${merchant}/settings`, { receivingAddress: wallet.account.address })
  expect('The receiving address', settings.text('receivingAddress'), wallet.account.address)
  show('Set the receiving address', settings.json)

  const key = await owner('POST', `${merchant}/api-keys`, { name: 'The shop', access: 'full' })
  const shop = openCalls(server.url, key.text('secret'))
  show('Create an API key', key.json)

  let webhookSecret = ''
  await using receiver = await startReceiver(() => webhookSecret)
  const endpoint = await owner('POST', `${merchant}/webhook-endpoints`, {
    url: receiver.url,
    eventTypes: ['payment.succeeded', 'refund.processed'],
  })
  webhookSecret = endpoint.text('signingSecret')
  show('Register a webhook endpoint', endpoint.json)

  const order = { amountMinor: 4900, currency: 'USD', title: 'Brass desk lamp', reference: 'order 7' }
  const link = await shop('POST', '/v1/payment-links', order, { 'idempotency-key': 'order-7' })
  expect('The status of the link', link.text('status'), 'active')
  show('Create a payment link', link.json)

  const opened = await publicCall('POST', `/v1/checkout/links/${link.text('id')}/payments`, {
    customerEmail: 'ada@example.com',
    chainId: 31337,
    asset: 'TUSD',
  })
  const paymentId = opened.text('payment.id')
  expect('The amount to pay', opened.text('payment.crypto.amountExpected'), '49000000')
  show('A customer opens a payment', opened.json.payment)

  const paid = await shop('POST', `/v1/sandbox/payments/${paymentId}/simulate`, { scenario: 'paid' })
  show('The customer pays from the sandbox wallet', paid.json)

  const succeeded = await receiver.next('payment.succeeded', paymentId)
  show('The shop receives the signed webhook', succeeded)
  const payment = await shop('GET', `/v1/payments/${paymentId}`)
  expect('The status of the payment', payment.text('status'), 'success')
  expect('The amount received', payment.text('crypto.amountReceived'), '49000000')
  expect('The reference of the payment', payment.text('reference'), 'order 7')
  show('The payment is final', payment.json)

  // Anyone may send this transaction: the money at a deposit address can go to the receiving address alone.
  const collection = await owner('POST', `${merchant}/collections`, { chainId: 31337, asset: 'TUSD' })
  await wallet.fillWithGas()
  await wallet.send(collection)
  expect('The balance of the wallet', String(await wallet.balanceOf(payment.text('crypto.tokenAddress'))), '49000000')
  show('The money is collected into the wallet of the shop', collection.json)

  const customer = privateKeyToAccount(generatePrivateKey()).address
  const refund = await shop(
    'POST',
    `/v1/payments/${paymentId}/refunds`,
    { amountMinor: 1900, reason: 'requested_by_customer', destination: customer },
    { 'idempotency-key': 'return-7' },
  )
  const refundId = refund.text('id')
  show('Refund a part, which the sandbox signs', refund.json)

  show('The shop receives the signed webhook', await receiver.next('refund.processed', refundId))
  const processed = await shop('GET', `/v1/refunds/${refundId}`)
  expect('The status of the refund', processed.text('status'), 'processed')
  expect('The amount of the refund', processed.text('crypto.amount'), '19000000')
  show('The refund is final', processed.json)

  await untilDelivered(owner, merchant, endpoint.text('id'))
  console.log('\nEverything was as it should be.')
}

let shown = 0

/** Without secrets: the output of a program ends up in logs. */
const show = (step: string, record: unknown) => {
  const isSecret = (name: string) => /secret|token$/i.test(name)
  const text = JSON.stringify(record, (name, value) => (isSecret(name) && typeof value === 'string' ? '…' : value))
  console.log(`\n${++shown}. ${step}\n   ${text}`)
}

const expect = (what: string, is: string, wanted: string) => {
  if (is !== wanted) throw new Error(`${what} should be ${wanted} and is ${is}`)
}

/** The wallet of the shop, with gas from an account of the development chain. */
const openWallet = (nodeUrl: string) => {
  const chain = defineChain({
    id: 31337,
    name: 'Sandbox',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [nodeUrl] } },
  })
  const account = privateKeyToAccount(generatePrivateKey())
  const clientOf = (from: typeof account | ReturnType<typeof mnemonicToAccount>) =>
    createWalletClient({ account: from, chain, transport: http(nodeUrl) }).extend(publicActions)
  const client = clientOf(account)
  const settle = async (hash: Hex) => {
    const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 200, timeout: 60_000 })
    if (status !== 'success') throw new Error(`Transaction ${hash} was reverted`)
    return hash
  }
  return {
    account,
    balanceOf: (token: string) =>
      client.readContract({ address: token as Hex, abi: erc20Abi, functionName: 'balanceOf', args: [account.address] }),
    fillWithGas: async () => {
      const rich = clientOf(
        mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex: 9 }),
      )
      await settle(await rich.sendTransaction({ to: account.address, value: 10n ** 17n }))
    },
    /** Signs and sends the transaction that a record names, and waits until it is mined. */
    send: async (record: DemoAnswer): Promise<Hex> => {
      const [to, data] = [record.text('unsignedTransaction.to'), record.text('unsignedTransaction.data')] as [Hex, Hex]
      const value = BigInt(record.text('unsignedTransaction.value'))
      return await settle(await client.sendTransaction({ to, data, value }))
    },
  }
}

/** The shop's answers to the webhooks are on record. */
const untilDelivered = async (owner: DemoCall, merchant: string, endpointId: string) => {
  for (let attempt = 0; attempt < 50; attempt++) {
    const { json } = await owner('GET', `${merchant}/webhook-endpoints/${endpointId}/deliveries`)
    const deliveries = json.data as readonly { readonly status: string }[]
    if (deliveries.length === 2 && deliveries.every(({ status }) => status === 'delivered')) return
    await sleep(200)
  }
  throw new Error('The deliveries of the two webhooks did not succeed')
}

try {
  await demo()
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

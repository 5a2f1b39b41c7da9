import { test } from 'bun:test'
import { readNext } from '../../src/chain/watch/read.ts'
import { settlePayments } from '../../src/chain/watch/settle.ts'
import { openSource } from '../../src/chain/watch/source.ts'
import type { ChainSource } from '../../src/chain/watch/watched-chain.ts'
import { events } from '../harness/events.ts'
import { until } from '../harness/until.ts'
import { type CheckoutPayment, checkoutServer } from './checkouts.ts'

const { server, link, open, customer, chain: node } = await checkoutServer()
const watched = { id: 31337, tokens: [], confirmations: 3 }
const rpc = server.api.chains.find(watched.id)?.rpc
if (!rpc) throw new Error('the sandbox chain has no RPC')
const source: ChainSource = openSource(rpc, [])

const readBlocks = async () => {
  await node.mine()
  while ((await readNext(server.sql, watched, source)) !== 'idle');
}
await readBlocks()

/** A payment in ether. `arrive` pays it by a contract that self-destructs, which no block lists as a transfer. */
const opened = async () => {
  const made = await open((await link()).id, { chainId: watched.id, asset: 'ETH' })
  const { address, amountExpected } = made.payment.crypto ?? { address: '', amountExpected: '0' }
  return {
    ...made,
    ...customer(made),
    arrive: async () => {
      const value = `0x${BigInt(amountExpected).toString(16)}`
      await node.send({ from: node.accounts[0], value, data: `0x73${address.slice(2)}ff` })
      await readBlocks()
    },
  }
}
const isProcessing = async (read: () => Promise<CheckoutPayment>) => {
  await settlePayments(server.api)
  return (await read()).status === 'processing'
}

test('ether sent on by a contract is found by a balance check when the page reads the payment', async () => {
  const made = await opened()
  await made.arrive()
  await until(() => isProcessing(made.read))
})

test('ether sent on by a contract is found while the page listens to the stream', async () => {
  const made = await opened()
  await made.arrive()
  const stream = await events(`${server.url}${made.path}/stream`, { 'client-secret': made.clientSecret })
  const transfers = () => server.sql`select from transfers t join payments p on p.id = t.payment_id
    where lower(p.address) = ${made.payment.crypto?.address.toLowerCase() ?? ''}`
  await until(async () => (await transfers()).length === 1)
  stream.leave()
})

test('ether sent on by a contract is found when a transaction is submitted, even right after a read', async () => {
  const made = await opened()
  await made.read()
  await made.arrive()
  await made.submit(`0x${'ab'.repeat(32)}`)
  const transfers = () => server.sql`select from transfers t join payments p on p.id = t.payment_id
    where lower(p.address) = ${made.payment.crypto?.address.toLowerCase() ?? ''}`
  await until(async () => (await transfers()).length === 1)
})

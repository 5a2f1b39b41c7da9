import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { readChain } from '../../../src/chain/watch/read-chain.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { nameTransaction } from '../../../src/commands/refund-transactions.ts'
import { faultyNode } from '../../harness/faulty-node.ts'
import { CONFIRMATIONS, customer, decide, openRefundFixtureOfFile } from './refund-fixture.ts'

const { server, fixture } = await openRefundFixtureOfFile()

let epoch = 0
/** Reads the sandbox, whose chain has been replaced. */
const readAnother = async () => {
  const name = String(++epoch)
  const tokens = [fixture.chain.token, fixture.chain.otherToken]
  const watched = { id: 31337, tokens, confirmations: CONFIRMATIONS, epoch: () => name }
  const source = openSource(openRpc({ chainId: 31337, urls: [fixture.chain.url] }, server.api), tokens)
  for (let steps = 0; steps < 50; steps++)
    if ((await readChain(server.api, watched, source)) === 'idle' && steps > 0) break
}
await readAnother()

const check = async (refund: Actor<Refund>) => {
  await decide(server, fixture.chainOf())
  return fixture.summaryOf(refund)
}
/** A refund whose transaction is in a block that is not final. */
const found = async () => {
  const refund = await fixture.createRefund()
  const hash = await fixture.chain.pay(customer, 1000n)
  const raw = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await fixture.apply(refund, { type: 'transaction_sent', txHash: hash })
  await fixture.chain.mine()
  await fixture.read()
  await decide(server, fixture.chainOf())
  expect(await server.sql`select from refund_looks where block_number is not null`).toHaveLength(1)
  return { refund, hash, raw }
}
const lost = { state: 'failed', failureReason: 'dropped', reserved: 0, events: ['refund.failed'] }

test('a refund whose transaction an older sandbox state lost fails, and can be paid again', async () => {
  const { refund } = await found()
  await fixture.chain.rollback(1)
  await fixture.chain.mine()
  await readAnother()
  expect(await check(refund)).toMatchObject(lost)
  expect((await fixture.find(refund.id)).context.attention).toBe(false)

  const again = await fixture.chain.pay(customer, 1000n)
  const whose = { id: refund.id, merchantId: fixture.merchantId, livemode: undefined }
  await nameTransaction(server.api, whose, { txHash: again, cause: 'usr_1', isGone: async () => false })
  await fixture.finalizeAll()
  expect(await check(refund)).toMatchObject({ state: 'processed', txHash: again, refunded: 1000 })
})

test('a transaction sent again on the replaced sandbox is verified in its new block', async () => {
  const { refund, raw } = await found()
  await fixture.chain.rollback(1)
  await fixture.chain.rpc('eth_sendRawTransaction', raw)
  await readAnother()
  expect((await check(refund)).state).toBe('processing')
  // From here on it is a usual transaction: its removal by a reorg has no effect.
  await fixture.chain.mine()
  await fixture.read()
  await check(refund)
  await fixture.chain.reorganize(1)
  await fixture.read()
  expect((await check(refund)).state).toBe('processing')
  await fixture.chain.rpc('eth_sendRawTransaction', raw)
  await fixture.finalizeAll()
  expect((await check(refund)).state).toBe('processed')
})

test('a transaction of a refund signer does not fail with the sandbox, nor does any while no node answers', async () => {
  const { refund } = await found()
  await fixture.chain.rollback(1)
  await fixture.chain.mine()
  await readAnother()
  await server.sql`
    insert into refund_signers (id, merchant_id, chain_id, epoch, address, first_nonce)
    values (${refund.id}, ${fixture.merchantId}, 31337, '1', ${`0x${'5'.repeat(40)}`}, 0)`
  await server.sql`
    insert into signer_nonces (signer_id, nonce, refund_id, state, created_at)
    values (${refund.id}, 0, ${refund.id}, 'open', now())`
  expect((await check(refund)).state).toBe('processing')
  await server.sql`delete from signer_nonces`
  await using node = await faultyNode(fixture.chain.url)
  node.break('fails')
  await decide(server, fixture.chainOf(fixture.chain.url, node.url))
  expect((await fixture.summaryOf(refund)).state).toBe('processing')
  expect(await check(refund)).toMatchObject(lost)
})

test('after the sandbox is emptied, a refund does not wait for the height of its lost block', async () => {
  const { refund } = await found()
  await server.sql`update refund_looks set block_number = 1000000 where refund_id = ${refund.id}`
  await fixture.chain.rpc('anvil_reset')
  await fixture.chain.mine(3)
  await readAnother()
  expect(await check(refund)).toMatchObject(lost)
})

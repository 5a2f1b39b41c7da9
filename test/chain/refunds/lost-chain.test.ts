import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { readNextOf } from '../../../src/chain/watch/sandbox-books.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { nameTransaction } from '../../../src/commands/refund-transactions.ts'
import { faultyNode } from '../../harness/faulty-node.ts'
import { CONFIRMATIONS, customer, decide, houseOfFile } from './refund-house.ts'

const { house, on } = await houseOfFile()

let epoch = 0
/** As the sandbox's books are read, which has another chain from now on. */
const readAnother = async () => {
  const name = String(++epoch)
  const tokens = [on.chain.token, on.chain.otherToken]
  const watched = { id: 31337, tokens, confirmations: CONFIRMATIONS, epoch: () => name }
  const source = openSource(openRpc({ chainId: 31337, urls: [on.chain.url] }, house.api), tokens)
  for (let steps = 0; steps < 50; steps++)
    if ((await readNextOf(house.api, watched, source)) === 'idle' && steps > 0) break
}
await readAnother()

const look = async (refund: Actor<Refund>) => {
  await decide(house, on.chainOf())
  return on.look(refund)
}
/** Found in a block that is not final. */
const found = async () => {
  const refund = await on.made()
  const hash = await on.chain.pay(customer, 1000n)
  const raw = await on.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await on.happen(refund, { type: 'transaction_sent', txHash: hash })
  await on.chain.mine()
  await on.read()
  await decide(house, on.chainOf())
  expect(await house.sql`select from refund_looks where block_number is not null`).toHaveLength(1)
  return { refund, hash, raw }
}
const lost = { state: 'failed', failureReason: 'dropped', reserved: 0, events: ['refund.failed'] }

test('a sandbox that comes back as an older state of itself gives back what it has lost, to be paid again', async () => {
  const { refund } = await found()
  await on.chain.rollback(1)
  await on.chain.mine()
  await readAnother()
  expect(await look(refund)).toMatchObject(lost)
  expect((await on.find(refund.id)).context.attention).toBe(false)

  const again = await on.chain.pay(customer, 1000n)
  const whose = { id: refund.id, merchantId: on.merchantId, livemode: undefined }
  await nameTransaction(house.api, whose, { txHash: again, cause: 'usr_1', isGone: async () => false })
  await on.bury()
  expect(await look(refund)).toMatchObject({ state: 'processed', txHash: again, refunded: 1000 })
})

test('what somebody has sent again there is judged by the block that it is in now', async () => {
  const { refund, raw } = await found()
  await on.chain.rollback(1)
  await on.chain.rpc('eth_sendRawTransaction', raw)
  await readAnother()
  expect((await look(refund)).state).toBe('processing')
  // From here on it is as good as any: that a reorganisation takes it away says nothing.
  await on.chain.mine()
  await on.read()
  await look(refund)
  await on.chain.reorganize(1)
  await on.read()
  expect((await look(refund)).state).toBe('processing')
  await on.chain.rpc('eth_sendRawTransaction', raw)
  await on.bury()
  expect((await look(refund)).state).toBe('processed')
})

test('what a signer has signed is the signer’s to look after, and while no node says so nothing is lost', async () => {
  const { refund } = await found()
  await on.chain.rollback(1)
  await on.chain.mine()
  await readAnother()
  await house.sql`
    insert into refund_signers (id, merchant_id, chain_id, epoch, address, first_nonce)
    values (${refund.id}, ${on.merchantId}, 31337, '1', ${`0x${'5'.repeat(40)}`}, 0)`
  await house.sql`
    insert into signer_nonces (signer_id, nonce, refund_id, state, created_at)
    values (${refund.id}, 0, ${refund.id}, 'open', now())`
  expect((await look(refund)).state).toBe('processing')
  await house.sql`delete from signer_nonces`
  await using node = await faultyNode(on.chain.url)
  node.break('fails')
  await decide(house, on.chainOf(on.chain.url, node.url))
  expect((await on.look(refund)).state).toBe('processing')
  expect(await look(refund)).toMatchObject(lost)
})

test('of a sandbox that is empty nobody waits for a block as high as the one that the transaction was in', async () => {
  const { refund } = await found()
  await house.sql`update refund_looks set block_number = 1000000 where refund_id = ${refund.id}`
  await on.chain.rpc('anvil_reset')
  await on.chain.mine(3)
  await readAnother()
  expect(await look(refund)).toMatchObject(lost)
})

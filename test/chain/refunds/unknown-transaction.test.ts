import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { isTransactionUnknown } from '../../../src/chain/refunds/unknown-transaction.ts'
import { nameTransaction } from '../../../src/commands/refund-transactions.ts'
import { sandboxContracts } from '../../../src/sandbox/contracts.ts'
import { faultyNode } from '../../harness/faulty-node.ts'
import { hashOf } from '../watch/ledger.ts'
import { customer, decide, openRefundFixtureOfFile } from './refund-fixture.ts'

const { server, fixture } = await openRefundFixtureOfFile()

const name = async ({ id }: Actor<Refund>, txHash: string, ...urls: readonly string[]) => {
  const nodes = urls.length > 0 ? urls : [fixture.chain.url]
  const chains = connectChains([sandboxChain(sandboxContracts)], () => nodes, server.api)
  const isGone = (refund: Actor<Refund>) => isTransactionUnknown({ sql: server.sql, chains }, refund)
  const whose = { id, merchantId: fixture.merchantId, livemode: undefined }
  return nameTransaction(server.api, whose, { txHash, cause: 'usr_1', isGone }).finally(() => chains.close())
}
const conflict = { code: 'state_conflict', because: { details: { status: 'processing' } } }

test('a hash that no node knows can be replaced, and the refund is paid by the new one', async () => {
  const refund = await fixture.createRefund()
  await name(refund, hashOf('mistyped', refund.id))
  const hash = await fixture.chain.pay(customer, 1000n)
  expect((await name(refund, hash)).context.txHash).toBe(hash)
  await fixture.finalizeAll()
  await decide(server, fixture.chainOf())
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processed', txHash: hash })
  await expect(name(refund, hashOf('later'))).rejects.toMatchObject({ code: 'state_conflict' })
})

test('a hash named while another one is looked up is looked up itself before it is replaced', async () => {
  const refund = await fixture.createRefund()
  const [first, meanwhile, late] = [hashOf('first'), hashOf('meanwhile'), hashOf('late')]
  await name(refund, first)
  const asked: (string | null)[] = []
  const naming = nameTransaction(
    server.api,
    { id: refund.id, merchantId: fixture.merchantId, livemode: undefined },
    {
      txHash: late,
      cause: 'usr_1',
      isGone: async ({ context: { txHash } }) => {
        asked.push(txHash)
        if (txHash === first) await name(refund, meanwhile)
        return txHash === first
      },
    },
  )
  await expect(naming).rejects.toMatchObject(conflict)
  expect(asked).toEqual([first, meanwhile])
  expect((await fixture.summaryOf(refund)).txHash).toBe(meanwhile)
})

test('a pending or mined transaction is not replaced', async () => {
  const refund = await fixture.createRefund()
  const hash = await fixture.chain.pay(customer, 1000n)
  await name(refund, hash)
  await expect(name(refund, hashOf('other'))).rejects.toMatchObject(conflict)
  await fixture.chain.mine()
  await expect(name(refund, hashOf('other'))).rejects.toMatchObject(conflict)
  expect((await fixture.summaryOf(refund)).txHash).toBe(hash)
})

test('a transaction is not replaced while one of two nodes knows it or does not answer', async () => {
  await using node = await faultyNode(fixture.chain.url)
  const refund = await fixture.createRefund()
  await name(refund, hashOf('unknown'))
  node.break('fails')
  await expect(name(refund, hashOf('other'), fixture.chain.url, node.url)).rejects.toMatchObject(conflict)
})

test('a transaction of another refund is not accepted as a replacement', async () => {
  const [first, second] = [await fixture.createRefund(), await fixture.createRefund()]
  const hash = await fixture.chain.pay(customer, 1000n)
  await name(first, hash)
  await name(second, hashOf('mistyped', second.id))
  await expect(name(second, hash)).rejects.toMatchObject({ code: 'state_conflict', because: { param: 'txHash' } })
})

test('a transaction signed by a refund signer is not replaced before any node knows it', async () => {
  const refund = await fixture.createRefund()
  await name(refund, hashOf('signed', refund.id))
  await server.sql`
    insert into signer_nonces (signer_id, nonce, state, created_at) values (${crypto.randomUUID()}, 0, 'open', now())`
  await server.sql`update signer_nonces set refund_id = ${refund.id}`
  await expect(name(refund, hashOf('other'))).rejects.toMatchObject(conflict)
  await server.sql`delete from signer_nonces`
})

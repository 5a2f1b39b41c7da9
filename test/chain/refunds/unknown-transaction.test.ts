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
import { customer, decide, houseOfFile } from './refund-house.ts'

const { house, on } = await houseOfFile()

const name = async ({ id }: Actor<Refund>, txHash: string, ...urls: readonly string[]) => {
  const nodes = urls.length > 0 ? urls : [on.chain.url]
  const chains = connectChains([sandboxChain(sandboxContracts)], () => nodes, house.api)
  const isGone = (refund: Actor<Refund>) => isTransactionUnknown({ sql: house.sql, chains }, refund)
  const whose = { id, merchantId: on.merchantId, livemode: undefined }
  return nameTransaction(house.api, whose, { txHash, cause: 'usr_1', isGone }).finally(() => chains.close())
}
const conflict = { code: 'state_conflict', because: { details: { status: 'processing' } } }

test('a hash that no node knows is replaced by the one that was meant, and paid by it', async () => {
  const refund = await on.made()
  await name(refund, hashOf('mistyped', refund.id))
  const hash = await on.chain.pay(customer, 1000n)
  expect((await name(refund, hash)).context.txHash).toBe(hash)
  await on.bury()
  await decide(house, on.chainOf())
  expect(await on.look(refund)).toMatchObject({ state: 'processed', txHash: hash })
  await expect(name(refund, hashOf('later'))).rejects.toMatchObject({ code: 'state_conflict' })
})

test('what is named while another is asked about is not replaced before it was asked about itself', async () => {
  const refund = await on.made()
  const [first, meanwhile, late] = [hashOf('first'), hashOf('meanwhile'), hashOf('late')]
  await name(refund, first)
  const asked: (string | null)[] = []
  const naming = nameTransaction(
    house.api,
    { id: refund.id, merchantId: on.merchantId, livemode: undefined },
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
  expect((await on.look(refund)).txHash).toBe(meanwhile)
})

test('one that waits to be mined, or is mined, is not replaced', async () => {
  const refund = await on.made()
  const hash = await on.chain.pay(customer, 1000n)
  await name(refund, hash)
  await expect(name(refund, hashOf('other'))).rejects.toMatchObject(conflict)
  await on.chain.mine()
  await expect(name(refund, hashOf('other'))).rejects.toMatchObject(conflict)
  expect((await on.look(refund)).txHash).toBe(hash)
})

test('while one of two nodes knows it, or cannot be asked, it is not replaced', async () => {
  await using node = await faultyNode(on.chain.url)
  const refund = await on.made()
  await name(refund, hashOf('nobody knows'))
  node.break('fails')
  await expect(name(refund, hashOf('other'), on.chain.url, node.url)).rejects.toMatchObject(conflict)
})

test('a transaction of another refund takes no place either', async () => {
  const [first, second] = [await on.made(), await on.made()]
  const hash = await on.chain.pay(customer, 1000n)
  await name(first, hash)
  await name(second, hashOf('mistyped', second.id))
  await expect(name(second, hash)).rejects.toMatchObject({ code: 'state_conflict', because: { param: 'txHash' } })
})

test('what a signer of ours has signed is never taken for gone, before any node knows it', async () => {
  const refund = await on.made()
  await name(refund, hashOf('signed', refund.id))
  await house.sql`
    insert into signer_nonces (signer_id, nonce, state, created_at) values (${crypto.randomUUID()}, 0, 'open', now())`
  await house.sql`update signer_nonces set refund_id = ${refund.id}`
  await expect(name(refund, hashOf('other'))).rejects.toMatchObject(conflict)
  await house.sql`delete from signer_nonces`
})

import { expect, test } from 'bun:test'
import { nameTransaction } from '../../src/commands/refund-transactions.ts'
import { listSignersWithOpenNonces } from '../../src/queries/refund-signers.ts'
import { closeNonce, listOpenNonces } from '../../src/queries/signer-nonces.ts'
import { closeFinalNonces } from '../../src/signer/close-nonces.ts'
import { openNamedLocks } from '../../src/signer/named-locks.ts'
import { signRefund } from '../../src/signer/sign.ts'
import { checkSignersOfChain } from '../../src/signer/signer-checks.ts'
import { instanceForFile, type SignerInstance } from './signer-instance.ts'

const instance = await instanceForFile()

const { sign, turns } = instance
const withPatience = { resendMs: 3_600_000, bumpMs: 3_600_000 }
const tend = (times: Partial<typeof withPatience> = {}) => instance.tend({ ...withPatience, ...times })

/** One unsigned refund with a signer of its own. */
const one = async (more: Parameters<SignerInstance['newSigner']>[0] = {}, refund = {}) => {
  const signer = await instance.newSigner(more)
  const [made] = await instance.refunds(signer.merchantId, 1, refund)
  if (!made) throw new Error('the refund is missing')
  return { signer, ...made }
}

const nonces = async ({ id }: { id: string }) => {
  const rows = await instance.sql<{ told: string }[]>`
    select nonce || ' ' || state as told from signer_nonces where signer_id = ${id} order by nonce`
  return rows.map(({ told }) => told)
}

test('a transaction that the node has forgotten is sent again unchanged', async () => {
  const { id, destination } = await one()
  await sign(id)
  const { txHash } = await instance.refund(id)
  await instance.node.call('anvil_dropTransaction', txHash)
  await tend({ resendMs: 0 })
  await instance.node.mine()
  expect(await instance.refund(id)).toMatchObject({ state: 'processing', txHash })
  expect(await instance.transfersTo(destination)).toBe(1)
})

test('a transaction that is not mined for long is replaced at a higher fee, and one of the two is mined', async () => {
  const { signer, id, destination } = await one()
  await sign(id)
  const first = await instance.refund(id)
  await tend({ bumpMs: 0 })
  const second = await instance.refund(id)
  expect(second.state).toBe('processing')
  expect(second.txHash).not.toBe(first.txHash)
  const fees = await instance.sql<{ max_fee: string; tip: string }[]>`
    select max_fee, tip from signed_transactions where signer_id = ${signer.id} order by attempt`
  const [before, after] = fees.map(({ max_fee, tip }) => [BigInt(max_fee), BigInt(tip)])
  for (const at of [0, 1]) expect((after?.[at] ?? 0n) * 1000n).toBeGreaterThanOrEqual((before?.[at] ?? 0n) * 1125n)
  await instance.finalize()
  await tend()
  expect(await instance.node.call('eth_getTransactionReceipt', second.txHash)).toMatchObject({ status: '0x1' })
  expect(await instance.transfersTo(destination)).toBe(1)
  expect(await nonces(signer)).toEqual(['0 mined'])
})

test('when the replaced transaction is mined after all, the refund gets its hash', async () => {
  const { signer, id, destination } = await one()
  await sign(id)
  const first = await instance.refund(id)
  // Ends before a node has the replacement.
  const at = (step: string) => {
    if (step === 'replaced') throw new Error('killed')
  }
  const [connected] = instance.desk.chains.all
  if (!connected) throw new Error('the chain is missing')
  const times = { ...withPatience, bumpMs: 0 }
  await expect(checkSignersOfChain({ ...instance.desk, onStep: at }, turns, connected, { times })).rejects.toThrow(
    'killed',
  )
  const second = await instance.refund(id)
  expect(second.txHash).not.toBe(first.txHash)
  await instance.node.mine()
  await tend()
  expect(await instance.refund(id)).toEqual(first)
  await instance.finalize()
  await tend()
  expect(await nonces(signer)).toEqual(['0 mined'])
  expect(await instance.transfersTo(destination)).toBe(1)
})

test('a transaction removed by a reorg is sent again', async () => {
  const { id, destination } = await one()
  await sign(id)
  await instance.node.mine()
  await tend()
  const { txHash } = await instance.refund(id)
  await instance.node.rollback(1)
  await instance.node.call('anvil_dropTransaction', txHash)
  await tend({ resendMs: 0 })
  await instance.node.mine()
  expect(await instance.refund(id)).toMatchObject({ state: 'processing', txHash })
  expect(await instance.transfersTo(destination)).toBe(1)
})

test('several processes that check one signer at the same time replace a transaction once', async () => {
  const { signer, id, destination } = await one()
  await sign(id)
  await instance.sql`
    update signed_transactions set created_at = now() - interval '1 hour' where signer_id = ${signer.id}`
  await Promise.all([1, 2, 3].map(() => tend({ bumpMs: 3_000_000 })))
  const attempts = await instance.sql`select from signed_transactions where signer_id = ${signer.id}`
  expect(attempts.length).toBe(2)
  await instance.node.mine()
  expect(await instance.transfersTo(destination)).toBe(1)
})

test('nothing is signed while the chain has a higher nonce than the ledger', async () => {
  const { signer, id } = await one()
  await instance.sendElsewhere(signer.key, 0)
  await sign(id)
  expect([(await instance.refund(id)).state, await instance.waitOf(id)]).toEqual(['requires_signature', 'nonce_ahead'])
  await instance.node.mine()
  await instance.sql`update signing_waits set next_try_at = now()`
  await tend()
  expect([(await instance.refund(id)).state, await nonces(signer)]).toEqual(['requires_signature', []])
})

test('unused nonces are filled, so that later transactions are mined', async () => {
  const { signer, id, destination } = await one()
  await instance.sql`update refund_signers set first_nonce = 2 where id = ${signer.id}`
  await sign(id)
  for (let n = 0; n < 2; n++) {
    await tend({ bumpMs: 0 })
    await instance.node.mine()
  }
  await instance.finalize()
  await tend()
  expect(await nonces(signer)).toEqual(['0 mined', '1 mined', '2 mined'])
  expect(await instance.transfersTo(destination)).toBe(1)
})

test('a refund whose nonce another transaction used fails once that is final, and its money is free again', async () => {
  const { signer, id } = await one()
  expect(await instance.run([id], 'stored')).toBe('SIGKILL')
  await instance.sendElsewhere(signer.key, 0)
  await instance.node.mine()
  await tend({ resendMs: 0 })
  expect((await instance.refund(id)).state).toBe('processing')
  await instance.finalize()
  await tend()
  expect(await instance.refund(id)).toMatchObject({ state: 'failed', failureReason: 'dropped' })
  const [payment] = await instance.sql`
    select refunds_reserved_minor::integer as reserved from payments where id = (select payment_id from refunds where id = ${id})`
  expect(payment).toEqual({ reserved: 0 })
  expect(await nonces(signer)).toEqual(['0 dropped'])
})

test('when a reorg replaces it by another transaction with its nonce, nothing is decided before that is final', async () => {
  const { signer, id, destination } = await one()
  await sign(id)
  const { txHash } = await instance.refund(id)
  const raw = await instance.node.call('eth_getRawTransactionByHash', txHash)
  await instance.node.mine()
  await tend()
  await instance.node.rollback(1)
  await instance.node.call('anvil_dropTransaction', txHash)
  await instance.sendElsewhere(signer.key, 0)
  const { number } = await instance.node.mine()
  await tend({ resendMs: 0, bumpMs: 0 })
  expect([await nonces(signer), await instance.refund(id)]).toEqual([
    ['0 open'],
    { state: 'processing', txHash, failureReason: null },
  ])
  // And back by another reorg.
  await instance.node.rollback(1)
  await instance.node.call('anvil_dropAllTransactions')
  await instance.node.call('eth_sendRawTransaction', raw)
  expect((await instance.node.mine()).number).toBe(number)
  await instance.finalize()
  await tend()
  expect([await nonces(signer), await instance.transfersTo(destination)]).toEqual([['0 mined'], 1])
})

/** Judges it like the reader of the chain. */
const judge = async (id: string) => {
  const [row] = await instance.sql<{ payment: string; amount: number; hash: string }[]>`
    select payment_id as payment, amount_minor::integer as amount, tx_hash as hash from refunds where id = ${id}`
  const { payment = '', amount, hash } = row ?? {}
  const verdict = { type: 'transaction_failed', txHash: hash, confirmations: 1, failureReason: 'reverted' }
  const outcome = await instance.api.actors.dispatchBundle([
    { kind: 'refund', actor: id, event: verdict, cause: 'chain:31337' },
    { kind: 'payment', actor: payment, event: { type: 'release_refund', amountMinor: amount }, cause: 'chain:31337' },
  ])
  expect(outcome.ok).toBe(true)
}

test('a failed refund that was paid by hand since is not changed by the transactions that were signed for it', async () => {
  const { signer, id } = await one()
  await sign(id)
  await instance.node.mine()
  await judge(id)
  const txHash = `0x${'ab'.repeat(32)}`
  const name = { id, merchantId: signer.merchantId, livemode: undefined }
  await nameTransaction(instance.api, name, { txHash, cause: 'test', isGone: async () => false })
  await tend({ bumpMs: 0 })
  await instance.finalize()
  await tend()
  expect(await instance.refund(id)).toMatchObject({ state: 'processing', txHash })
  expect(await nonces(signer)).toEqual(['0 mined'])
})

test('a transaction that another process has replaced, and that was mined, is not taken for lost', async () => {
  const { signer, id, destination } = await one()
  await sign(id)
  const [connected] = instance.desk.chains.all
  const [stale] = await listOpenNonces(instance.sql, { signerId: signer.id }, 1)
  if (!connected || !stale) throw new Error('nothing is open')
  await tend({ bumpMs: 0 })
  const { txHash } = await instance.refund(id)
  await instance.finalize()
  const [row] = await listSignersWithOpenNonces(instance.sql, 31337).then(all =>
    all.filter(each => each.id === signer.id),
  )
  if (!row) throw new Error('the signer has no transaction')
  await closeFinalNonces(instance.desk, connected.rpc, { signer: row, mined: [stale] })
  expect(await instance.refund(id)).toMatchObject({ state: 'processing', txHash })
  expect([await nonces(signer), await instance.transfersTo(destination)]).toEqual([['0 mined'], 1])
})

test('a nonce is not closed while its refund waits for another of its transactions', async () => {
  const { signer, id } = await one()
  await sign(id)
  await tend({ bumpMs: 0 })
  const [first] = await instance.sql<{ hash: string }[]>`
    select tx_hash as hash from signed_transactions where signer_id = ${signer.id} and attempt = 1`
  await closeNonce(instance.sql, { signerId: signer.id, nonce: 0 }, first?.hash ?? '')
  await closeNonce(instance.sql, { signerId: signer.id, nonce: 0 }, null)
  expect(await nonces(signer)).toEqual(['0 open'])
  await instance.finalize()
  await tend()
  expect(await nonces(signer)).toEqual(['0 mined'])
})

test.each([
  ['it is removed', (of: string) => instance.sql`select remove_refund_signer(${of}, 31337, 'operator')`],
  [
    'its merchant switches to signing by hand',
    (of: string) => instance.sql`update merchant_settings set refund_mode = 'manual' where merchant_id = ${of}`,
  ],
])('a refund that waits for its turn when %s is not signed', async (_, change) => {
  const { signer, id } = await one()
  const own = openNamedLocks()
  const gate = Promise.withResolvers<void>()
  const before = own(`${signer.merchantId} 31337`, () => gate.promise)
  const signing = signRefund(instance.desk, own, id)
  await change(signer.merchantId)
  gate.resolve()
  await Promise.all([before, signing])
  expect((await instance.refund(id)).state).toBe('requires_signature')
})

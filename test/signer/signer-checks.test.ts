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
const patient = { resendMs: 3_600_000, bumpMs: 3_600_000 }
const tend = (times: Partial<typeof patient> = {}) => instance.tend({ ...patient, ...times })

/** One refund of a signer of its own, not signed yet. */
const one = async (more: Parameters<SignerInstance['newSigner']>[0] = {}, refund = {}) => {
  const signer = await instance.newSigner(more)
  const [made] = await instance.refunds(signer.merchantId, 1, refund)
  if (!made) throw new Error('there is no refund')
  return { signer, ...made }
}

const nonces = async ({ id }: { id: string }) => {
  const rows = await instance.sql<{ told: string }[]>`
    select nonce || ' ' || state as told from signer_nonces where signer_id = ${id} order by nonce`
  return rows.map(({ told }) => told)
}

test('what its node has forgotten is sent again, and the same', async () => {
  const { id, destination } = await one()
  await sign(id)
  const { txHash } = await instance.refund(id)
  await instance.node.call('anvil_dropTransaction', txHash)
  await tend({ resendMs: 0 })
  await instance.node.mine()
  expect(await instance.refund(id)).toMatchObject({ state: 'processing', txHash })
  expect(await instance.transfersTo(destination)).toBe(1)
})

test('what is in no block for long is offered more for, and one of the two is mined', async () => {
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

test('when what was replaced is mined after all, the refund is told of that', async () => {
  const { signer, id, destination } = await one()
  await sign(id)
  const first = await instance.refund(id)
  // Ends before a node has the other.
  const at = (step: string) => {
    if (step === 'replaced') throw new Error('killed')
  }
  const [connected] = instance.desk.chains.all
  if (!connected) throw new Error('there is no chain')
  const times = { ...patient, bumpMs: 0 }
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

test('what a reorganisation has taken out of its block is sent again', async () => {
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

test('several that look after one signer at once offer more once', async () => {
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

test('while the chain has seen more of a key than the books nothing is signed', async () => {
  const { signer, id } = await one()
  await instance.sendElsewhere(signer.key, 0)
  await sign(id)
  expect([(await instance.refund(id)).state, await instance.waitOf(id)]).toEqual(['requires_signature', 'nonce_ahead'])
  await instance.node.mine()
  await instance.sql`update signing_waits set next_try_at = now()`
  await tend()
  expect([(await instance.refund(id)).state, await nonces(signer)]).toEqual(['requires_signature', []])
})

test('numbers that nobody has are used up, so that what waits behind them is mined', async () => {
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

test('a refund whose number another transaction has used fails once that is final, and its money is free again', async () => {
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

test('a reorganisation that exchanges it for another of the same number decides nothing before that is final', async () => {
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
  // And back again.
  await instance.node.rollback(1)
  await instance.node.call('anvil_dropAllTransactions')
  await instance.node.call('eth_sendRawTransaction', raw)
  expect((await instance.node.mine()).number).toBe(number)
  await instance.finalize()
  await tend()
  expect([await nonces(signer), await instance.transfersTo(destination)]).toEqual([['0 mined'], 1])
})

/** As whoever reads the chain judges it. */
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

test('a refund that has failed and is paid by hand since is told nothing more of what was signed for it', async () => {
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

test('what another process has replaced meanwhile, and was mined, is not taken for lost', async () => {
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
  if (!row) throw new Error('the signer is not busy')
  await closeFinalNonces(instance.desk, connected.rpc, { signer: row, mined: [stale] })
  expect(await instance.refund(id)).toMatchObject({ state: 'processing', txHash })
  expect([await nonces(signer), await instance.transfersTo(destination)]).toEqual([['0 mined'], 1])
})

test('a number is not closed while its refund waits for another of its transactions', async () => {
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
    'its merchant turns to signing by hand',
    (of: string) => instance.sql`update merchant_settings set refund_mode = 'manual' where merchant_id = ${of}`,
  ],
])('what waits for its turn when %s is not signed', async (_, change) => {
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

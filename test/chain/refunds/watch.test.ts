import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { refundTransfer } from '../../../src/chain/refunds/transfer.ts'
import { refundFactsFor } from '../../../src/http/refund-facts.ts'
import { findDepths } from '../../../src/queries/refund-transactions.ts'
import { faultyNode } from '../../harness/faulty-node.ts'
import { changedNode } from '../watch/test-node.ts'
import { CONFIRMATIONS, customer, decide, endWhileDeciding, openRefundFixtureOfFile } from './refund-fixture.ts'

const { server, fixture } = await openRefundFixtureOfFile()

const summaryOf = (refund: Actor<Refund>) => fixture.summaryOf(refund)
const decideBy = (...urls: string[]) => decide(server, fixture.chainOf(...urls))
const processing = async (refund: Actor<Refund>, txHash: string) =>
  fixture.apply(refund, { type: 'transaction_sent', txHash })

const elsewhere = `0x${'e1'.repeat(20)}`
const nativeRefund = () => fixture.createRefund({ native: true })

/** Sends the prepared transaction, with optional errors. */
const send = ({ id, context }: Actor<Refund>, wrong: Partial<Parameters<typeof refundTransfer>[0]> = {}) => {
  const { tokenAddress, amount } = context
  const { to, data, value } = refundTransfer({ id, tokenAddress, destination: customer, amount, ...wrong })
  return fixture.send({ to, data, value: `0x${value.toString(16)}` })
}

const processed = { state: 'processed', failureReason: null, reserved: 1000, refunded: 1000 }
const failed = (failureReason: string) => ({ state: 'failed', failureReason, reserved: 0, refunded: 0 })

type Case = readonly [
  what: string,
  make: () => Promise<Actor<Refund>>,
  pay: (refund: Actor<Refund>) => Promise<string>,
  verdict: object,
]

test.each<Case>([
  ['is the prepared one', () => fixture.createRefund(), refund => send(refund), processed],
  [
    'carries no id, as when sent by hand',
    () => fixture.createRefund(),
    () => fixture.chain.pay(customer, 1000n),
    processed,
  ],
  ['sends native currency', nativeRefund, refund => send(refund), processed],
  ['reverted', () => fixture.createRefund(), () => fixture.send({ data: '0x5f5ffd' }), failed('reverted')],
  [
    'paid another address',
    () => fixture.createRefund(),
    refund => send(refund, { destination: elsewhere }),
    failed('wrong_recipient'),
  ],
  ['paid no one', () => fixture.createRefund(), () => fixture.send({ to: elsewhere }), failed('wrong_recipient')],
  [
    'sent native currency to another address',
    nativeRefund,
    refund => send(refund, { destination: elsewhere }),
    failed('wrong_recipient'),
  ],
  [
    'moved another token',
    () => fixture.createRefund(),
    refund => send(refund, { tokenAddress: fixture.chain.otherToken }),
    failed('wrong_asset'),
  ],
  [
    'moved native currency in place of a token',
    () => fixture.createRefund(),
    refund => send(refund, { tokenAddress: null }),
    failed('wrong_asset'),
  ],
  [
    'moved a token in place of native currency',
    nativeRefund,
    refund => send(refund, { tokenAddress: fixture.chain.token }),
    failed('wrong_asset'),
  ],
  ['moved less', () => fixture.createRefund(), refund => send(refund, { amount: 999n }), failed('amount_mismatch')],
  ['moved more', () => fixture.createRefund(), refund => send(refund, { amount: 1001n }), failed('amount_mismatch')],
  ['moved amount 0', () => fixture.createRefund(), refund => send(refund, { amount: 0n }), failed('amount_mismatch')],
  ['moved less native currency', nativeRefund, refund => send(refund, { amount: 999n }), failed('amount_mismatch')],
  [
    'carries the id of another refund',
    () => fixture.createRefund(),
    async refund => send(refund, { id: (await fixture.createRefund()).id }),
    failed('wrong_recipient'),
  ],
  [
    'carries 16 bytes that are no refund id',
    () => fixture.createRefund(),
    refund => send(refund, { id: crypto.randomUUID() }),
    processed,
  ],
])('a transaction that %s is decided when it is final, and not before', async (_, make, pay, verdict) => {
  const refund = await make()
  const hash = await pay(refund)
  await processing(refund, hash)
  await decideBy()
  await fixture.chain.mine(CONFIRMATIONS - 1)
  await fixture.read()
  await decideBy()
  expect(await summaryOf(refund)).toMatchObject({ state: 'processing', txHash: hash, reserved: 1000, events: [] })
  await fixture.chain.mine()
  await fixture.read()
  await decideBy()
  const { state } = verdict as { state: string }
  expect(await summaryOf(refund)).toMatchObject({
    ...verdict,
    ...{ txHash: hash, confirmations: CONFIRMATIONS, events: [`refund.${state}`] },
  })
  expect(await server.sql`select from refund_looks`).toHaveLength(0)
})

test('a transaction final before the refund was requested does not pay it, and needs attention', async () => {
  const hash = await fixture.chain.pay(customer, 1000n)
  await fixture.finalizeAll()
  const refund = await fixture.createRefund()
  await processing(refund, hash)
  await decideBy()
  expect(await summaryOf(refund)).toMatchObject(failed('wrong_recipient'))
  expect((await fixture.find(refund.id)).context).toMatchObject({ attention: true, strayTxHash: hash })
})

const doubtOf = async ({ id }: Actor<Refund>) => {
  const rows = await server.sql`select doubt, person_from <= now() as asks from refund_looks where refund_id = ${id}`
  return { ...(await summaryOf({ id } as Actor<Refund>)), ...rows[0] }
}

test('a transaction in a block that was not final at the request needs attention, also after a reorg', async () => {
  const hash = await fixture.chain.pay(customer, 1000n)
  await fixture.chain.mine()
  await fixture.read()
  const refund = await fixture.createRefund()
  await processing(refund, hash)

  await fixture.chain.mine(2)
  await fixture.read()
  const later = await fixture.createRefund({ of: { merchantId: fixture.merchantId, livemode: false } })
  const meant = await fixture.chain.pay(customer, 1000n)
  const raw = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', meant)
  await processing(later, meant)
  await fixture.chain.mine()
  await fixture.chain.reorganize(2, [[raw, 0]])
  await fixture.finalizeAll()
  await decideBy()
  for (const each of [refund, later])
    expect(await doubtOf(each)).toMatchObject({ state: 'processing', doubt: 'possibly_earlier', asks: true })
})

test('a transaction mined after the request pays it although the server’s clock is ahead of the chain’s', async () => {
  for (const refund of [await fixture.createRefund(), await nativeRefund()]) {
    const hash = await (refund.context.tokenAddress ? fixture.chain.pay(customer, 1000n) : send(refund))
    await server.sql`update refunds set created_at = created_at + interval '1 hour' where id = ${refund.id}`
    await processing(refund, hash)
    await fixture.finalizeAll()
    await decideBy()
    expect(await summaryOf(refund)).toMatchObject(processed)
  }
})

/** Makes the request look as if it were made now. */
const requestNow = ({ id }: Actor<Refund>) => server.sql`
  update refund_beginnings b set final_number = c.final_number, head_number = c.number
  from chain_cursors c where b.refund_id = ${id}`

test('a transaction with the refund id, or signed by its refund signer, pays it in any block', async () => {
  const [named, signed] = [await fixture.createRefund(), await nativeRefund()]
  const hashes = [await send(named), await send(signed)]
  await fixture.finalizeAll()
  await Promise.all([named, signed].map(requestNow))
  const of = { signer_id: crypto.randomUUID(), nonce: 0, created_at: new Date() }
  await server.sql`insert into signer_nonces ${server.sql({ ...of, state: 'mined', refund_id: null })}`
  await server.sql`update signer_nonces set refund_id = ${signed.id}`
  await server.sql`insert into signed_transactions ${server.sql({
    ...{ ...of, attempt: 1, chain_id: 31337, tx_hash: hashes[1] ?? '', raw: '0x00', gas: 0, max_fee: 0, tip: null },
  })}`
  for (const [at, refund] of [named, signed].entries()) await processing(refund, hashes[at] ?? '')
  await decideBy()
  for (const refund of [named, signed]) expect(await summaryOf(refund)).toMatchObject(processed)
  await server.sql`delete from signed_transactions`
  await server.sql`delete from signer_nonces`
})

test('a refund requested on an earlier sandbox chain can be paid in any block of the current one', async () => {
  const refund = await nativeRefund()
  const hash = await send(refund)
  await fixture.finalizeAll()
  await requestNow(refund)
  await server.sql`update chain_cursors set epoch = 'another'`
  await processing(refund, hash)
  await decideBy()
  expect(await summaryOf(refund)).toMatchObject(processed)
})

test('a transaction removed by a reorg is checked again and found in another block', async () => {
  const [goes, moves] = [await fixture.createRefund(), await fixture.createRefund()]
  const moving = await send(moves)
  const raw = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', moving)
  await processing(moves, moving)
  await processing(goes, await send(goes))
  await fixture.chain.mine(2)
  await fixture.read()
  await decideBy()
  const found = () => server.sql`select from refund_looks where block_number is not null`
  expect(await found()).toHaveLength(2)
  await fixture.chain.reorganize(2, [[raw, 1]])
  await fixture.chain.mine(CONFIRMATIONS - 2)
  await fixture.read()
  await decideBy()
  expect((await summaryOf(moves)).state).toBe('processing')
  await fixture.chain.mine()
  await fixture.read()
  await decideBy()
  expect(await summaryOf(moves)).toMatchObject({ ...processed, confirmations: CONFIRMATIONS })
  expect((await summaryOf(goes)).state).toBe('processing')
  expect(await found()).toHaveLength(0)
})

test('an unknown transaction changes nothing and is checked less and less often', async () => {
  const refund = await fixture.createRefund()
  await processing(refund, `0x${'ab'.repeat(32)}`)
  for (let n = 0; n < 12; n++) await decideBy()
  expect(await summaryOf(refund)).toMatchObject({ state: 'processing', events: [] })
  const [row] = await server.sql<{ wait: number }[]>`
    select extract(epoch from next_look_at - now())::float as wait from refund_looks where refund_id = ${refund.id}`
  expect(row?.wait).toBeGreaterThan(250)
})

test('a pending transaction is checked every few seconds, however long it is pending', async () => {
  const refund = await fixture.createRefund()
  await processing(refund, await send(refund))
  for (let n = 0; n < 12; n++) await decideBy()
  const [row] = await server.sql<{ wait: number }[]>`
    select extract(epoch from next_look_at - now())::float as wait from refund_looks where refund_id = ${refund.id}`
  expect(row?.wait).toBeLessThanOrEqual(32)
  await fixture.finalizeAll()
  await decideBy()
  expect(await summaryOf(refund)).toMatchObject(processed)
})

test('confirmations of a processing refund are counted up to the head', async () => {
  const refund = await fixture.createRefund()
  await processing(refund, await send(refund))
  const depth = async () => (await findDepths(server.sql, [refund.id])).get(refund.id)
  await decideBy()
  expect(await depth()).toBe(undefined)
  await fixture.chain.mine()
  await fixture.read()
  await decideBy()
  expect(await depth()).toBe(1)
  await fixture.chain.mine(2)
  await fixture.read()
  expect(await depth()).toBe(3)
  const { api } = server
  const shown = await refundFactsFor(api, {}, [await fixture.find(refund.id)])
  expect(shown(refund)).toMatchObject({ confirmations: 3 })
  await fixture.finalizeAll()
  await decideBy()
  expect(await summaryOf(refund)).toMatchObject(processed)
})

test('a node that reports a block far ahead does not delay the decision', async () => {
  await using wrongNode = await changedNode(fixture.chain.url, ({ method }, answer) =>
    method === 'eth_getTransactionByHash' ? { ...(answer as object), blockNumber: '0xffffffff' } : answer,
  )
  const refund = await fixture.createRefund()
  await processing(refund, await send(refund))
  await fixture.finalizeAll()
  await decideBy(wrongNode.url)
  expect((await summaryOf(refund)).state).toBe('processing')
  await decideBy()
  expect(await summaryOf(refund)).toMatchObject(processed)
})

test('after a replacement the new transaction decides, and the old one has no effect', async () => {
  const refund = await fixture.createRefund()
  const old = await fixture.send({ data: '0x5f5ffd' })
  await processing(refund, old)
  await fixture.chain.mine()
  await fixture.read()
  await decideBy()
  const hash = await send(refund)
  await fixture.apply(refund, { type: 'transaction_replaced', txHash: hash })
  await fixture.finalizeAll()
  await decideBy()
  expect(await summaryOf(refund)).toMatchObject({ ...processed, txHash: hash })
})

test('of several parallel workers one decides, once', async () => {
  const refund = await fixture.createRefund()
  await processing(refund, await send(refund))
  await fixture.finalizeAll()
  await Promise.all([decideBy(), decideBy(), decideBy()])
  expect(await summaryOf(refund)).toMatchObject({ ...processed, events: ['refund.processed'] })
})

test.each(['before', 'after'] as const)(
  'after a worker ends %s the commit of its verdict, the next one decides the same',
  async when => {
    const refund = await fixture.createRefund()
    await processing(refund, await send(refund))
    await fixture.finalizeAll()
    await endWhileDeciding(server, fixture.chainOf(), when)
    await decideBy()
    expect(await summaryOf(refund)).toMatchObject({ ...processed, events: ['refund.processed'] })
  },
)

test('a failed refund can be signed again, fail again and be paid in the end', async () => {
  const refund = await fixture.createRefund()
  for (const state of ['failed', 'failed', 'processed']) {
    if (state !== 'processed') await processing(refund, await fixture.send({ data: '0x5f5ffd' }))
    else await processing(refund, await send(refund))
    await fixture.finalizeAll()
    await decideBy()
    expect((await summaryOf(refund)).state).toBe(state)
    if (state === 'failed') await retry(refund)
  }
  expect(await summaryOf(refund)).toMatchObject({
    ...processed,
    events: ['refund.failed', 'refund.failed', 'refund.processed'],
  })
})

const retry = async ({ id, context: { paymentId, amountMinor } }: Actor<Refund>) => {
  const outcome = await server.api.actors.dispatchBundle([
    { kind: 'refund', actor: id, event: { type: 'retry' } },
    { kind: 'payment', actor: paymentId, event: { type: 'reserve_refund', amountMinor } },
  ])
  expect(outcome.ok).toBe(true)
}

test.each([
  ['says that it reverted', 'lies_about_receipt', { how: 'status' }],
  ['has no receipt', 'lies_about_receipt', { how: 'missing' }],
  ['names another recipient', 'lies_about_log', { how: 'recipient' }],
  ['is on another fork', 'lies_about_block', {}],
  ['is behind', 'lags', { blocks: 100 }],
] as const)('while one of two nodes %s nothing is decided', async (_, fault, knobs) => {
  await using node = await faultyNode(fixture.chain.url)
  const refund = await fixture.createRefund()
  await processing(refund, await send(refund))
  await fixture.finalizeAll()
  node.break(fault, knobs)
  for (let n = 0; n < 3; n++) await decideBy(fixture.chain.url, node.url)
  expect(await summaryOf(refund)).toMatchObject({ state: 'processing', events: [] })
  node.mend()
  await decideBy(fixture.chain.url, node.url)
  expect(await summaryOf(refund)).toMatchObject(processed)
})

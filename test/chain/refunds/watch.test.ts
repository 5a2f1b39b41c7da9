import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { refundTransfer } from '../../../src/chain/refunds/transfer.ts'
import { refundFactsFor } from '../../../src/http/refund-facts.ts'
import { findDepths } from '../../../src/queries/refund-transactions.ts'
import { faultyNode } from '../../harness/faulty-node.ts'
import { through } from '../watch/node.ts'
import { CONFIRMATIONS, customer, decide, endWhileDeciding, houseOfFile } from './refund-house.ts'

const { house, on } = await houseOfFile()

const look = (refund: Actor<Refund>) => on.look(refund)
const decideBy = (...urls: string[]) => decide(house, on.chainOf(...urls))
const processing = async (refund: Actor<Refund>, txHash: string) =>
  on.happen(refund, { type: 'transaction_sent', txHash })

const elsewhere = `0x${'e1'.repeat(20)}`
const coins = () => on.made({ coins: true })

/** As it is to be signed, unless something is wrong with it. */
const send = ({ id, context }: Actor<Refund>, wrong: Partial<Parameters<typeof refundTransfer>[0]> = {}) => {
  const { tokenAddress, amount } = context
  const { to, data, value } = refundTransfer({ id, tokenAddress, destination: customer, amount, ...wrong })
  return on.send({ to, data, value: `0x${value.toString(16)}` })
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
  ['is as it was to be signed', () => on.made(), refund => send(refund), processed],
  ['carries no id, as one sent by hand', () => on.made(), () => on.chain.pay(customer, 1000n), processed],
  ['sends the coins', coins, refund => send(refund), processed],
  ['reverted', () => on.made(), () => on.send({ data: '0x5f5ffd' }), failed('reverted')],
  [
    'went to somebody else',
    () => on.made(),
    refund => send(refund, { destination: elsewhere }),
    failed('wrong_recipient'),
  ],
  ['paid nobody', () => on.made(), () => on.send({ to: elsewhere }), failed('wrong_recipient')],
  ['sent coins to somebody else', coins, refund => send(refund, { destination: elsewhere }), failed('wrong_recipient')],
  [
    'was of another token',
    () => on.made(),
    refund => send(refund, { tokenAddress: on.chain.otherToken }),
    failed('wrong_asset'),
  ],
  ['was of coins for a token', () => on.made(), refund => send(refund, { tokenAddress: null }), failed('wrong_asset')],
  ['was of a token for coins', coins, refund => send(refund, { tokenAddress: on.chain.token }), failed('wrong_asset')],
  ['was of less', () => on.made(), refund => send(refund, { amount: 999n }), failed('amount_mismatch')],
  ['was of more', () => on.made(), refund => send(refund, { amount: 1001n }), failed('amount_mismatch')],
  ['was of nothing', () => on.made(), refund => send(refund, { amount: 0n }), failed('amount_mismatch')],
  ['was of fewer coins', coins, refund => send(refund, { amount: 999n }), failed('amount_mismatch')],
  [
    'carries the id of another refund',
    () => on.made(),
    async refund => send(refund, { id: (await on.made()).id }),
    failed('wrong_recipient'),
  ],
  [
    'carries sixteen bytes that are the id of none',
    () => on.made(),
    refund => send(refund, { id: crypto.randomUUID() }),
    processed,
  ],
])('a transaction that %s is judged once it is final, and not before', async (_, make, pay, verdict) => {
  const refund = await make()
  const hash = await pay(refund)
  await processing(refund, hash)
  await decideBy()
  await on.chain.mine(CONFIRMATIONS - 1)
  await on.read()
  await decideBy()
  expect(await look(refund)).toMatchObject({ state: 'processing', txHash: hash, reserved: 1000, events: [] })
  await on.chain.mine()
  await on.read()
  await decideBy()
  const { state } = verdict as { state: string }
  expect(await look(refund)).toMatchObject({
    ...verdict,
    ...{ txHash: hash, confirmations: CONFIRMATIONS, events: [`refund.${state}`] },
  })
  expect(await house.sql`select from refund_looks`).toHaveLength(0)
})

test('one that was final before the refund was asked for was for something else, and has moved money', async () => {
  const hash = await on.chain.pay(customer, 1000n)
  await on.bury()
  const refund = await on.made()
  await processing(refund, hash)
  await decideBy()
  expect(await look(refund)).toMatchObject(failed('wrong_recipient'))
  expect((await on.find(refund.id)).context).toMatchObject({ attention: true, strayTxHash: hash })
})

const doubtOf = async ({ id }: Actor<Refund>) => {
  const rows = await house.sql`select doubt, person_from <= now() as asks from refund_looks where refund_id = ${id}`
  return { ...(await look({ id } as Actor<Refund>)), ...rows[0] }
}

test('one from blocks that were not final by then is for a person, also where they have given way to others', async () => {
  const hash = await on.chain.pay(customer, 1000n)
  await on.chain.mine()
  await on.read()
  const refund = await on.made()
  await processing(refund, hash)

  await on.chain.mine(2)
  await on.read()
  const later = await on.made({ of: { merchantId: on.merchantId, livemode: false } })
  const meant = await on.chain.pay(customer, 1000n)
  const raw = await on.chain.rpc<string>('eth_getRawTransactionByHash', meant)
  await processing(later, meant)
  await on.chain.mine()
  await on.chain.reorganize(2, [[raw, 0]])
  await on.bury()
  await decideBy()
  for (const each of [refund, later])
    expect(await doubtOf(each)).toMatchObject({ state: 'processing', doubt: 'possibly_earlier', asks: true })
})

test('however far the clock of the house is ahead of its chain’s, what is mined since pays it', async () => {
  for (const refund of [await on.made(), await coins()]) {
    const hash = await (refund.context.tokenAddress ? on.chain.pay(customer, 1000n) : send(refund))
    await house.sql`update refunds set created_at = created_at + interval '1 hour' where id = ${refund.id}`
    await processing(refund, hash)
    await on.bury()
    await decideBy()
    expect(await look(refund)).toMatchObject(processed)
  }
})

/** As if it had been asked for only now. */
const begins = ({ id }: Actor<Refund>) => house.sql`
  update refund_beginnings b set final_number = c.final_number, head_number = c.number
  from chain_cursors c where b.refund_id = ${id}`

test('one that carries the id of the refund, or that a signer of ours has signed for it, is its in whatever block', async () => {
  const [named, signed] = [await on.made(), await coins()]
  const hashes = [await send(named), await send(signed)]
  await on.bury()
  await Promise.all([named, signed].map(begins))
  const of = { signer_id: crypto.randomUUID(), nonce: 0, created_at: new Date() }
  await house.sql`insert into signer_nonces ${house.sql({ ...of, state: 'mined', refund_id: null })}`
  await house.sql`update signer_nonces set refund_id = ${signed.id}`
  await house.sql`insert into signed_transactions ${house.sql({
    ...{ ...of, attempt: 1, chain_id: 31337, tx_hash: hashes[1] ?? '', raw: '0x00', gas: 0, max_fee: 0, tip: null },
  })}`
  for (const [at, refund] of [named, signed].entries()) await processing(refund, hashes[at] ?? '')
  await decideBy()
  for (const refund of [named, signed]) expect(await look(refund)).toMatchObject(processed)
  await house.sql`delete from signed_transactions`
  await house.sql`delete from signer_nonces`
})

test('what was asked for on another one of the sandbox’s chains has nothing before it here', async () => {
  const refund = await coins()
  const hash = await send(refund)
  await on.bury()
  await begins(refund)
  await house.sql`update chain_cursors set epoch = 'another'`
  await processing(refund, hash)
  await decideBy()
  expect(await look(refund)).toMatchObject(processed)
})

test('a transaction whose block is reorganised away is looked for again, and may be in another one', async () => {
  const [goes, moves] = [await on.made(), await on.made()]
  const moving = await send(moves)
  const raw = await on.chain.rpc<string>('eth_getRawTransactionByHash', moving)
  await processing(moves, moving)
  await processing(goes, await send(goes))
  await on.chain.mine(2)
  await on.read()
  await decideBy()
  const found = () => house.sql`select from refund_looks where block_number is not null`
  expect(await found()).toHaveLength(2)
  await on.chain.reorganize(2, [[raw, 1]])
  await on.chain.mine(CONFIRMATIONS - 2)
  await on.read()
  await decideBy()
  expect((await look(moves)).state).toBe('processing')
  await on.chain.mine()
  await on.read()
  await decideBy()
  expect(await look(moves)).toMatchObject({ ...processed, confirmations: CONFIRMATIONS })
  expect((await look(goes)).state).toBe('processing')
  expect(await found()).toHaveLength(0)
})

test('an unknown one changes nothing and is looked for less and less often', async () => {
  const refund = await on.made()
  await processing(refund, `0x${'ab'.repeat(32)}`)
  for (let n = 0; n < 12; n++) await decideBy()
  expect(await look(refund)).toMatchObject({ state: 'processing', events: [] })
  const [row] = await house.sql<{ wait: number }[]>`
    select extract(epoch from next_look_at - now())::float as wait from refund_looks where refund_id = ${refund.id}`
  expect(row?.wait).toBeGreaterThan(250)
})

test('one that waits to be mined is looked for every few seconds, however long it waits', async () => {
  const refund = await on.made()
  await processing(refund, await send(refund))
  for (let n = 0; n < 12; n++) await decideBy()
  const [row] = await house.sql<{ wait: number }[]>`
    select extract(epoch from next_look_at - now())::float as wait from refund_looks where refund_id = ${refund.id}`
  expect(row?.wait).toBeLessThanOrEqual(32)
  await on.bury()
  await decideBy()
  expect(await look(refund)).toMatchObject(processed)
})

test('while it is processing its confirmations are counted to the head, from when its block is known', async () => {
  const refund = await on.made()
  await processing(refund, await send(refund))
  const depth = async () => (await findDepths(house.sql, [refund.id])).get(refund.id)
  await decideBy()
  expect(await depth()).toBe(undefined)
  await on.chain.mine()
  await on.read()
  await decideBy()
  expect(await depth()).toBe(1)
  await on.chain.mine(2)
  await on.read()
  expect(await depth()).toBe(3)
  const { api } = house
  const shown = await refundFactsFor(api, {}, [await on.find(refund.id)])
  expect(shown(refund)).toEqual({ confirmations: 3 })
  await on.bury()
  await decideBy()
  expect(await look(refund)).toMatchObject(processed)
})

test('a node that puts it into a block which is far ahead does not keep the others from judging it', async () => {
  await using liar = await through(on.chain.url, ({ method }, answer) =>
    method === 'eth_getTransactionByHash' ? { ...(answer as object), blockNumber: '0xffffffff' } : answer,
  )
  const refund = await on.made()
  await processing(refund, await send(refund))
  await on.bury()
  await decideBy(liar.url)
  expect((await look(refund)).state).toBe('processing')
  await decideBy()
  expect(await look(refund)).toMatchObject(processed)
})

test('when it is replaced the new one is judged, and the old one is nothing', async () => {
  const refund = await on.made()
  const old = await on.send({ data: '0x5f5ffd' })
  await processing(refund, old)
  await on.chain.mine()
  await on.read()
  await decideBy()
  const hash = await send(refund)
  await on.happen(refund, { type: 'transaction_replaced', txHash: hash })
  await on.bury()
  await decideBy()
  expect(await look(refund)).toMatchObject({ ...processed, txHash: hash })
})

test('of several workers that look at once one decides, and once', async () => {
  const refund = await on.made()
  await processing(refund, await send(refund))
  await on.bury()
  await Promise.all([decideBy(), decideBy(), decideBy()])
  expect(await look(refund)).toMatchObject({ ...processed, events: ['refund.processed'] })
})

test.each(['before', 'after'] as const)(
  'a worker that ends %s its verdict is committed leaves it to the next',
  async when => {
    const refund = await on.made()
    await processing(refund, await send(refund))
    await on.bury()
    await endWhileDeciding(house, on.chainOf(), when)
    await decideBy()
    expect(await look(refund)).toMatchObject({ ...processed, events: ['refund.processed'] })
  },
)

test('one that failed is signed again, fails again by another transaction, and is paid in the end', async () => {
  const refund = await on.made()
  for (const state of ['failed', 'failed', 'processed']) {
    if (state !== 'processed') await processing(refund, await on.send({ data: '0x5f5ffd' }))
    else await processing(refund, await send(refund))
    await on.bury()
    await decideBy()
    expect((await look(refund)).state).toBe(state)
    if (state === 'failed') await retry(refund)
  }
  expect(await look(refund)).toMatchObject({
    ...processed,
    events: ['refund.failed', 'refund.failed', 'refund.processed'],
  })
})

const retry = async ({ id, context: { paymentId, amountMinor } }: Actor<Refund>) => {
  const outcome = await house.api.actors.dispatchBundle([
    { kind: 'refund', actor: id, event: { type: 'retry' } },
    { kind: 'payment', actor: paymentId, event: { type: 'reserve_refund', amountMinor } },
  ])
  expect(outcome.ok).toBe(true)
}

test.each([
  ['says that it reverted', 'lies_about_receipt', { how: 'status' }],
  ['has no receipt', 'lies_about_receipt', { how: 'missing' }],
  ['names another recipient', 'lies_about_log', { how: 'recipient' }],
  ['has another chain', 'lies_about_block', {}],
  ['lags', 'lags', { blocks: 100 }],
] as const)('while one of two nodes %s nothing is decided', async (_, fault, knobs) => {
  await using node = await faultyNode(on.chain.url)
  const refund = await on.made()
  await processing(refund, await send(refund))
  await on.bury()
  node.break(fault, knobs)
  for (let n = 0; n < 3; n++) await decideBy(on.chain.url, node.url)
  expect(await look(refund)).toMatchObject({ state: 'processing', events: [] })
  node.mend()
  await decideBy(on.chain.url, node.url)
  expect(await look(refund)).toMatchObject(processed)
})

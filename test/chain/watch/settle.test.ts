import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Actors } from '../../../src/actors/actors.ts'
import { audit } from '../../../src/audit/audit.ts'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { findUnsettled, recordApplied } from '../../../src/chain/watch/unsettled.ts'
import { endUnpicked, endWindows } from '../../../src/chain/watch/windows.ts'
import { resolvePayment } from '../../../src/commands/payments.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { connect } from '../../../src/postgres/connect.ts'
import { findPaymentLink } from '../../../src/queries/payment-links.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { happen, type MadePayment, makePayment, openPayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { hashOf, issueAddress, type Ledger, openLedger, SENDER, type SentTransfer, TOKEN } from './ledger.ts'

/** The blocks of these tests are mined in the future. */
const DAY_MS = 86_400_000

let server: ApiServer
let ledger: Ledger
let elsewhere: Ledger
let merchantId: string

beforeAll(async () => {
  const sandbox = sandboxChain({ token: TOKEN, feed: TOKEN, euroFeed: TOKEN })
  const chains = [sandbox, { ...sandbox, id: 31338, network: 'Elsewhere' }]
  server = await apiServer({ routes: [], chains: outside => connectChains(chains, () => [], outside) })
  merchantId = await insertMerchant(server.sql)
  ledger = await openLedger(server.sql)
  elsewhere = await openLedger(server.sql, 31338)
})
afterAll(async () => {
  expect(await audit(server.sql, kinds)).toEqual([])
  await server[Symbol.asyncDispose]()
})

/** A payment of 1000 cents on a link of its own. The amount due is 1000 atomic units of TUSD. */
const opened = async (chainId = 31337): Promise<MadePayment> => {
  const payment = await makePayment(server.api, { merchantId, livemode: false }, '')
  const pick = { chainId, address: payment.address }
  await happen(server.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await issueAddress(server.sql, payment)
  return payment
}

const settle = async () => {
  while ((await settlePayments(server.api)) > 0);
}

const resolve = ({ actor: id }: MadePayment, action: 'accept' | 'dismiss') =>
  resolvePayment(server.api, { id, merchantId, livemode: false }, action, { cause: 'test' })

/** The current payment, and the events it has published. */
const summaryOf = async ({ actor, linkId: _, link }: MadePayment) => {
  const found = await findPayment(server.sql, { id: actor, merchantId, livemode: false })
  const itsLink = await findPaymentLink(server.sql, { id: link, merchantId, livemode: false })
  const events = await server.sql<{ type: string }[]>`select type from events where actor = ${actor} order by rev`
  if (!found || !itsLink) throw new Error('the payment does not exist')
  const { paymentsProcessing, paymentsCount } = itsLink.context
  return {
    ...found.context,
    state: found.state,
    events: events.map(({ type }) => type.replace('payment.', '')),
    link: [paymentsProcessing, paymentsCount],
  }
}

const sending = ({ address }: MadePayment, amount: bigint, more: Partial<SentTransfer> = {}): SentTransfer => ({
  to: address.toLowerCase(),
  amount,
  ...more,
})

test('a transfer of the amount due makes a payment processing, and its finality successful', async () => {
  const payment = await opened()
  const number = await ledger.block([sending(payment, 1000n)])
  await settle()
  expect(await summaryOf(payment)).toMatchObject({
    ...{ state: 'processing', amountReceived: 1000n, amountFinal: 0n, blockNumber: number, payerAddress: SENDER },
    ...{ events: ['created', 'processing'], link: [1, 0], exception: null },
  })
  await ledger.finalize()
  await settle()
  expect(await summaryOf(payment)).toMatchObject({
    ...{ state: 'success', amountFinal: 1000n, receivedMinor: 1000, attention: false },
    ...{ events: ['created', 'processing', 'succeeded'], link: [0, 1] },
  })
})

test('two transfers add up to the amount due, and the second completes it', async () => {
  const payment = await opened()
  await ledger.block([sending(payment, 400n)])
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'pending', exception: 'underpaid', amountReceived: 400n })
  const second = await ledger.block([sending(payment, 600n, { tx: hashOf('second', payment.actor) })])
  await settle()
  await ledger.finalize()
  await settle()
  expect(await summaryOf(payment)).toMatchObject({
    ...{ state: 'success', blockNumber: second, txHash: hashOf('second', payment.actor) },
    ...{ events: ['created', 'underpaid', 'processing', 'succeeded'], exception: null },
  })
})

test('the transaction of the payment is the transfer that completed the sum, also when later ones are applied together', async () => {
  const payment = await opened()
  await ledger.block([sending(payment, 400n)])
  const second = await ledger.block([sending(payment, 600n, { tx: hashOf('completes', payment.actor) })])
  await ledger.block([sending(payment, 50n, { tx: hashOf('exceeds', payment.actor) })])
  await settle()
  const named = { txHash: hashOf('completes', payment.actor), blockNumber: second }
  expect(await summaryOf(payment)).toMatchObject({ state: 'processing', amountReceived: 1050n, ...named })
  await ledger.finalize()
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'success', amountFinal: 1050n, ...named })
})

test('of several transfers in one block the one that completed the sum is named', async () => {
  const payment = await opened()
  const [first, completing, last] = ['first', 'completing', 'last'].map(which => hashOf(which, payment.actor))
  const amounts = [300n, 700n, 50n]
  const number = await ledger.block(
    [first, completing, last].map((tx, n) => sending(payment, amounts[n] ?? 0n, { tx: tx ?? '' })),
  )
  await settle()
  expect(await summaryOf(payment)).toMatchObject({
    ...{ state: 'processing', amountReceived: 1050n, txHash: completing, blockNumber: number, payerAddress: SENDER },
  })
})

test('two transfers of one transaction count both', async () => {
  const payment = await opened()
  await ledger.block([sending(payment, 500n), sending(payment, 500n)])
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'processing', amountReceived: 1000n })
})

test('all payments of one link paid in one block are counted by it', async () => {
  const first = await opened()
  const opening = { paymentLinkId: first.link }
  const more = await Promise.all(
    [1, 2].map(() => openPayment(server.api, { merchantId, livemode: false }, { opening })),
  )
  for (const payment of more) {
    await server.api.actors.dispatch({ kind: 'payment_link', actor: first.link, event: { type: 'open_payment' } })
    await issueAddress(server.sql, payment)
  }
  const all = [first, ...more.map(payment => ({ ...first, ...payment }))]
  await ledger.block(all.map((payment, n) => sending(payment, 1000n, { tx: hashOf('one of', payment.actor, n) })))
  await settle()
  expect((await summaryOf(first)).link).toEqual([3, 0])
  await ledger.finalize()
  await settle()
  expect((await summaryOf(first)).link).toEqual([0, 3])
})

test('an overpaid payment is successful and needs attention', async () => {
  const payment = await opened()
  await ledger.block([sending(payment, 1500n)])
  await ledger.finalize()
  await settle()
  expect(await summaryOf(payment)).toMatchObject({
    ...{ state: 'success', exception: 'overpaid', attention: true, receivedMinor: 1500 },
    ...{ events: ['created', 'processing', 'succeeded'] },
  })
})

test('a sum above the column maximum is stored as the maximum', async () => {
  const payment = await opened()
  await ledger.block(Array.from({ length: 9 }, () => sending(payment, 2n ** 256n - 1n)))
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'processing', amountReceived: 10n ** 78n - 1n })
  await ledger.finalize()
  await settle()
  const most = { amountFinal: 10n ** 78n - 1n, receivedMinor: Number.MAX_SAFE_INTEGER }
  expect(await summaryOf(payment)).toMatchObject({ state: 'success', exception: 'overpaid', ...most })
})

test('payments that cannot be updated do not hold up later ones', async () => {
  const [broken, other] = [await opened(), await opened()]
  await server.sql.unsafe(
    `alter table payments add constraint broken check (id <> '${broken.actor}' or state = 'pending')`,
  )
  await ledger.block([sending(broken, 1000n)])
  await ledger.block([sending(other, 1000n)])
  expect(await settlePayments(server.api, { most: 1 })).toBe(1)
  expect([(await summaryOf(broken)).state, (await summaryOf(other)).state]).toEqual(['pending', 'processing'])
  await server.sql`alter table payments drop constraint broken`
  await settle()
  expect((await summaryOf(broken)).state).toBe('processing')
  await ledger.finalize()
  await settle()
})

test('a reorg removes the transfer, and another block restores it', async () => {
  const payment = await opened()
  const { number } = await ledger.cursor()
  const transfer = sending(payment, 1000n, { tx: hashOf('moves', payment.actor) })
  await ledger.block([transfer])
  await settle()
  await ledger.rewind(number)
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n, txHash: null, link: [0, 0] })
  await ledger.block()
  await ledger.block([transfer])
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'processing', blockNumber: number + 2, link: [1, 0] })
  await ledger.finalize()
  await settle()
  expect(await summaryOf(payment)).toMatchObject({
    ...{ state: 'success', amountReceived: 1000n, link: [0, 1] },
    ...{ events: ['created', 'processing', 'succeeded'] },
  })
})

test('a transfer that was removed before it was applied has no effect', async () => {
  const payment = await opened()
  const { number } = await ledger.cursor()
  await ledger.block([sending(payment, 1000n)])
  await ledger.rewind(number)
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'pending', events: ['created'] })
})

test('money in another asset or on another chain leaves the payment pending and needs attention', async () => {
  const [asset, chain] = [await opened(), await opened()]
  await ledger.block([sending(asset, 1000n, { token: `0x${'e'.repeat(40)}` })])
  await elsewhere.block([sending(chain, 1000n)])
  await settle()
  expect(await summaryOf(asset)).toMatchObject({ state: 'pending', exception: 'wrong_asset', attention: true })
  expect(await summaryOf(chain)).toMatchObject({ state: 'pending', exception: 'wrong_chain', finalStrays: 0 })
  await elsewhere.finalize()
  await settle()
  expect(await summaryOf(chain)).toMatchObject({ state: 'pending', finalStrays: 1, events: ['created'] })
})

test('more money on another chain needs attention again after the first was decided', async () => {
  const payment = await opened()
  const astray = async () => {
    await elsewhere.block([sending(payment, 400n)])
    await elsewhere.finalize()
    await settle()
  }
  await astray()
  await resolve(payment, 'dismiss')
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ exception: 'wrong_chain', attention: false })
  await astray()
  expect(await summaryOf(payment)).toMatchObject({ state: 'pending', finalStrays: 2, attention: true })
})

test('money after accepted money on another chain is an overpayment and needs attention', async () => {
  const payment = await opened()
  await elsewhere.block([sending(payment, 1000n)])
  await elsewhere.finalize()
  await settle()
  await resolve(payment, 'accept')
  await ledger.block([sending(payment, 1000n)])
  await settle()
  const accepted = { state: 'success', chainId: 31338, amountFinal: 1000n }
  expect(await summaryOf(payment)).toMatchObject({ ...accepted, finalStrays: 0, attention: true })
  await resolve(payment, 'dismiss')
  await ledger.finalize()
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ ...accepted, finalStrays: 1, attention: true })
})

test('a transfer to an unknown address is not recorded', async () => {
  await ledger.block([{ to: `0x${'0'.repeat(39)}1`, amount: 1000n }])
  const rows = await server.sql`select from transfers t where not exists (
    select from deposit_addresses d where d.payment_id = t.payment_id)`
  expect(rows).toHaveLength(0)
})

test('with several parallel processes, a payment takes each change once', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, opened))
  await ledger.block(many.map(payment => sending(payment, 1000n)))
  await Promise.all([settle(), settle(), settle()])
  await ledger.finalize()
  await Promise.all([settle(), settle(), settle()])
  for (const payment of many)
    expect(await summaryOf(payment)).toMatchObject({
      ...{ state: 'success', link: [0, 1] },
      ...{ events: ['created', 'processing', 'succeeded'] },
    })
  expect(await server.sql`select from unsettled_payments`).toHaveLength(0)
})

test('with several parallel processes, late money on another chain is published once', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, () => opened()))
  for (const { actor } of many) await happen(server.api, actor, { type: 'cancel' })
  await elsewhere.block(many.map(payment => sending(payment, 1000n)))
  await elsewhere.finalize()
  await Promise.all([settle(), settle(), settle()])
  for (const payment of many)
    expect(await summaryOf(payment)).toMatchObject({ finalStrays: 1, events: ['created', 'canceled', 'late'] })
})

/** Settles with a slow process that reads first and dispatches after something else was applied. */
const settleSlowlyWhile = async (happens: () => Promise<unknown>) => {
  const [reading, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const dispatchBundle: Actors['dispatchBundle'] = async commands => {
    reading.resolve()
    await going.promise
    return server.api.actors.dispatchBundle(commands)
  }
  const slow = settlePayments({ ...server.api, actors: { ...server.api.actors, dispatchBundle } })
  await reading.promise
  await happens()
  await settle()
  going.resolve()
  await slow
}

for (const [what, token] of [
  ['money', undefined],
  ['money in another token', `0x${'b'.repeat(40)}`],
] as const)
  test(`${what} removed before a slow process applies it is reverted`, async () => {
    const payment = await opened()
    const block = await ledger.block([sending(payment, 1000n, { ...(token && { token }) })])
    await settleSlowlyWhile(() => ledger.rewind(block - 1))
    await settle()
    expect(await summaryOf(payment)).toMatchObject({
      ...{ state: 'pending', amountReceived: 0n, stray: null, exception: null, attention: false },
    })
    expect(await server.sql`select from unsettled_payments`).toHaveLength(0)
  })

test('late money on another chain is published once although a slow process has read less of it', async () => {
  const payment = await opened()
  await happen(server.api, payment.actor, { type: 'cancel' })
  await elsewhere.block([sending(payment, 1000n)])
  await elsewhere.finalize()
  await settleSlowlyWhile(async () => {
    await elsewhere.block([sending(payment, 500n)])
    await elsewhere.finalize()
  })
  expect(await summaryOf(payment)).toMatchObject({ finalStrays: 2, events: ['created', 'canceled', 'late'] })
})

/** An unsettled payment as read by a process that is slow to record it as handled. */
const findOne = async () => {
  const [slow] = await findUnsettled(server.sql, 1)
  if (!slow) throw new Error('no payment is unsettled')
  return { ...slow, recordApplied: () => recordApplied(server.sql, [[slow, slow.payment]]) }
}

test('a transfer that arrives while another one is applied is not lost', async () => {
  const payment = await opened()
  await ledger.block([sending(payment, 400n)])
  const slow = await findOne()
  await ledger.block([sending(payment, 600n, { tx: hashOf('meanwhile', payment.actor) })])
  await slow.recordApplied()
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'processing', amountReceived: 1000n })
  await ledger.finalize()
  await settle()
})

test('equal steps of two chains are not confused', async () => {
  const payment = await opened()
  await ledger.block([sending(payment, 400n)])
  const slow = await findOne()
  while ((await elsewhere.cursor()).step < slow.touchedAt - 1) await elsewhere.block()
  await elsewhere.block([sending(payment, 1000n)])
  expect((await elsewhere.cursor()).step).toBe(slow.touchedAt)
  await slow.recordApplied()
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ stray: 'wrong_chain', attention: true, amountReceived: 400n })
})

test('a block that does not follow the cursor, or is recorded already, is refused', async () => {
  const at = await ledger.cursor()
  await ledger.block()
  const { recordBlocks, isMovedCursor } = await import('../../../src/chain/watch/chain-state.ts')
  const again = recordBlocks(server.sql, 31337, at, {
    blocks: [{ number: at.number + 1, hash: hashOf('twin'), minedAt: new Date() }],
    logs: [],
  })
  expect(await again.then(() => undefined, isMovedCursor)).toBe(true)
})

test('a window ends only when its chain has been read past it, and money in time counts', async () => {
  const [nothing, little, late, inTime] = [await opened(), await opened(), await opened(), await opened()]
  const { expiresAt } = await summaryOf(nothing)
  await ledger.block([sending(little, 400n)])
  await settle()
  const after = new Date(expiresAt.getTime() + 60_000)
  const atTheEnd = new Date(expiresAt.getTime() - 1_000)
  const end = () => endWindows(server.api, 31337, { aheadMs: DAY_MS })
  await ledger.block([sending(inTime, 1000n)], atTheEnd)
  await settle()
  await end()
  expect((await summaryOf(nothing)).state).toBe('pending')
  await ledger.block([sending(late, 1000n)], after)
  await settle()
  expect(await summaryOf(late)).toMatchObject({ state: 'pending', amountReceived: 0n })
  // The seen transfer is not final yet.
  await end()
  expect((await summaryOf(nothing)).state).toBe('expired')
  expect((await summaryOf(little)).state).toBe('pending')
  await ledger.finalize()
  await settle()
  await end()
  await settle()
  expect(await summaryOf(little)).toMatchObject({ state: 'failed', failureReason: 'underpaid', receivedMinor: 400 })
  expect(await summaryOf(inTime)).toMatchObject({ state: 'success' })
  // The full amount of a stablecoin is accepted after the end, too.
  expect(await summaryOf(late)).toMatchObject({ state: 'success', events: ['created', 'expired', 'succeeded'] })
})

test('a chain that is not read keeps only its own payments open', async () => {
  const [here, there] = [await opened(), await opened(31338)]
  const { expiresAt } = await summaryOf(there)
  await ledger.block([], new Date(expiresAt.getTime() + 90_000))
  await endWindows(server.api, 31337, { aheadMs: DAY_MS })
  await endWindows(server.api, 31338, { aheadMs: DAY_MS })
  expect([(await summaryOf(here)).state, (await summaryOf(there)).state]).toEqual(['expired', 'pending'])
  // It is read again: its earlier transfers are applied first.
  await elsewhere.block([sending(there, 1000n)], new Date(expiresAt.getTime() - 1_000))
  await elsewhere.block([], new Date(expiresAt.getTime() + 90_000))
  await endWindows(server.api, 31338, { aheadMs: DAY_MS })
  expect((await summaryOf(there)).state).toBe('pending')
  await settle()
  await endWindows(server.api, 31338, { aheadMs: DAY_MS })
  expect(await summaryOf(there)).toMatchObject({ state: 'processing', amountReceived: 1000n })
})

test('a chain whose clock is ahead ends no window early', async () => {
  const payment = await opened()
  const { expiresAt } = await summaryOf(payment)
  await ledger.block([], new Date(expiresAt.getTime() + 3_600_000))
  await endWindows(server.api, 31337)
  expect((await summaryOf(payment)).state).toBe('pending')
  await happen(server.api, payment.actor, { type: 'end_window' })
  await until(async () => (await endWindows(server.api, 31337)) > 0)
  expect((await summaryOf(payment)).state).toBe('expired')
})

test('a payment without an asset ends by the clock, and one with an asset by its chain', async () => {
  const [none, picked] = [await makePayment(server.api, { merchantId, livemode: false }, ''), await opened(31338)]
  await endUnpicked(server.api, 0)
  expect((await summaryOf(none)).state).toBe('pending')
  for (const { actor } of [none, picked]) await happen(server.api, actor, { type: 'end_window' })
  await endUnpicked(server.api, 3_600_000)
  expect((await summaryOf(none)).state).toBe('pending')
  await until(async () => (await endUnpicked(server.api, 0)) > 0)
  expect(await summaryOf(none)).toMatchObject({ state: 'expired', events: ['created', 'expired'] })
  expect((await summaryOf(picked)).state).toBe('pending')
})

test.each([
  ['of a chain', 'chain_id = 31337', 'order by expires_at'],
  ['without an asset', 'chain_id is null', ''],
])('windows %s that are over are found without reading the others', async (_, which, order) => {
  const own = connect(server.databaseUrl, { max: 1 })
  await own`set enable_seqscan = off`
  const plan = await own.unsafe<{ 'QUERY PLAN': string }[]>(`
    explain select id from payments
    where ${which} and state = 'pending' and amount_final = amount_received
      and expires_at < (select max(mined_at) from chain_cursors)
    ${order} limit 500`)
  await own.end()
  const lines = plan.map(line => line['QUERY PLAN']).join('\n')
  expect(lines).toContain('Index Scan using payments_waiting')
  expect(lines).toMatch(/Index Cond: .*expires_at < /)
  expect(lines).not.toContain('Sort')
})

test('late money that is final before the end of the window is applied at the end', async () => {
  const payment = await opened()
  const { expiresAt } = await summaryOf(payment)
  const after = new Date(expiresAt.getTime() + 120_000)
  await ledger.block([sending(payment, 300n)], after)
  await ledger.finalize()
  await settle()
  expect((await summaryOf(payment)).state).toBe('pending')
  await endWindows(server.api, 31337, { aheadMs: DAY_MS })
  await settle()
  expect(await summaryOf(payment)).toMatchObject({
    ...{ state: 'expired', exception: 'late', attention: true, amountFinal: 300n, receivedMinor: 300 },
    ...{ events: ['created', 'expired', 'late'] },
  })
  expect(await server.sql`select from unsettled_payments`).toHaveLength(0)
})

test('a pending payment with late money takes money in time immediately', async () => {
  const payment = await opened()
  const expiresAt = (await summaryOf(payment)).expiresAt.getTime()
  const { number } = await ledger.cursor()
  await ledger.block([sending(payment, 1000n)], new Date(expiresAt + 60_000))
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
  // On another fork it is mined before the end.
  await ledger.rewind(number)
  await ledger.block([sending(payment, 1000n)], new Date(expiresAt - 60_000))
  await ledger.block([], new Date(expiresAt + 60_000))
  await settle()
  await endWindows(server.api, 31337, { aheadMs: DAY_MS })
  expect(await summaryOf(payment)).toMatchObject({ state: 'processing', events: ['created', 'processing'] })
  await ledger.finalize()
  await settle()
})

test('a part in time and the rest late fail the payment, and then make it a late success', async () => {
  const payment = await opened()
  const { expiresAt } = await summaryOf(payment)
  const after = new Date(expiresAt.getTime() + 240_000)
  await ledger.block([sending(payment, 400n)], new Date(expiresAt.getTime() - 500))
  await ledger.block([sending(payment, 600n)], after)
  await ledger.finalize()
  await settle()
  expect(await summaryOf(payment)).toMatchObject({ state: 'pending', amountReceived: 400n, amountFinal: 400n })
  await endWindows(server.api, 31337, { aheadMs: DAY_MS })
  await settle()
  expect(await summaryOf(payment)).toMatchObject({
    ...{ state: 'success', amountFinal: 1000n, events: ['created', 'underpaid', 'failed', 'succeeded'] },
  })
})

test('at finality a transfer that is not found again is orphaned, and a missed one counts', async () => {
  const [made, missed] = [await opened(), await opened()]
  const now = (await summaryOf(made)).expiresAt.getTime() - 60_000
  const isTo =
    ({ address }: MadePayment) =>
    ({ to }: { to: string }) =>
      to === address.toLowerCase()
  await ledger.block([sending(made, 1000n), sending(missed, 1000n)], new Date(now), log => !isTo(missed)(log))
  await settle()
  expect([(await summaryOf(made)).state, (await summaryOf(missed)).state]).toEqual(['processing', 'pending'])
  await ledger.finalize(log => !isTo(made)(log))
  await settle()
  expect(await summaryOf(made)).toMatchObject({
    state: 'pending',
    amountReceived: 0n,
    events: ['created', 'processing'],
  })
  expect(await summaryOf(missed)).toMatchObject({ state: 'success', events: ['created', 'processing', 'succeeded'] })
})

test('the token of these tests is the asset of the payments', () => {
  expect(payments.events.pick).toMatchObject({ tokenAddress: TOKEN, chainId: 31337 })
})

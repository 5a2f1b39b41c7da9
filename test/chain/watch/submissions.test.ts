import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import { audit } from '../../../src/audit/audit.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { decideSubmissions, type SubmissionChain } from '../../../src/chain/watch/submissions.ts'
import { openTransactions } from '../../../src/chain/watch/transactions.ts'
import { submitTransaction } from '../../../src/commands/submissions.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { anvil, type TestChain as Node } from '../../harness/anvil.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { faultyNode } from '../../harness/faulty-node.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { giveOut, hashOf } from './ledger.ts'
import { type TestChain, testChain, through } from './node.ts'

let house: ApiServer
let chain: TestChain
/** Of the same mode. */
let other: Node
let merchantId: string
/** A token that the books do not know. */
let unknownToken: string

const CONFIRMATIONS = 4
const OTHER = 31338

beforeAll(async () => {
  house = await apiServer({ routes: [] })
  chain = await testChain()
  other = await anvil({ mining: 'none', args: ['--chain-id', String(OTHER)] })
  merchantId = await insertMerchant(house.sql)
  unknownToken = await deploy(`6024355f52600435337f${TRANSFER}60205fa300`)
  await chain.mine(10)
  await read()
  await readOther()
})
afterAll(async () => {
  expect(await audit(house.sql, kinds)).toEqual([])
  await chain[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await house[Symbol.asyncDispose]()
})
// A test leaves chains on which nothing of it can change any more, and no submission that is looked for.
afterEach(async () => {
  await bury()
  await house.sql`delete from submissions`
})

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const sender = async () => (await chain.rpc<string[]>('eth_accounts'))[0] ?? ''

const send = async (transaction: object): Promise<string> =>
  chain.rpc('eth_sendTransaction', { from: await sender(), gas: '0x100000', ...transaction })

const deploy = async (runtime: string): Promise<string> => {
  const length = (runtime.length / 2).toString(16).padStart(2, '0')
  const hash = await send({ data: `0x60${length}8060095f395ff3${runtime}` })
  await chain.mine()
  return (await chain.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)).contractAddress
}

const tokens = () => [chain.token, chain.otherToken]

const rpcOf = (chainId: number, ...urls: string[]) => openRpc({ chainId, urls }, house.api)

const readThe = async (id: number, url: string): Promise<void> => {
  const watched = { id, tokens: tokens(), confirmations: CONFIRMATIONS }
  const source = openSource(rpcOf(id, url), watched.tokens)
  for (let steps = 0; steps < 200; steps++) if ((await readNext(house.sql, watched, source)) === 'idle') break
  await finalizeNext(house.sql, watched, source)
}
const settle = async () => {
  while ((await settlePayments(house.api)) > 0);
}
const read = async () => {
  await readThe(31337, chain.url)
  await settle()
}
const readOther = async () => {
  await readThe(OTHER, other.url)
  await settle()
}
/** Everything so far becomes final, in the books too. */
const bury = async () => {
  await chain.mine(CONFIRMATIONS)
  await read()
}

const chainOf = (id: number, ...urls: string[]): SubmissionChain => ({
  ...{ id, livemode: false, tokens: tokens(), pollMs: 20 },
  transactions: openTransactions(rpcOf(id, ...urls)),
})

/** Whatever is kept is looked for now, as a process does it that has just been started. */
const decide = async (...urls: string[]): Promise<number> => {
  await house.sql`update submissions set next_look_at = now()`
  const own = chainOf(31337, ...(urls.length > 0 ? urls : [chain.url]))
  const chains = [own, chainOf(OTHER, other.url)]
  return decideSubmissions(house.api, own, { chains, signal: new AbortController().signal })
}

const opened = async (pick: object = {}): Promise<MadePayment> => {
  const payment = await makePayment(house.api, { merchantId, livemode: false }, '')
  const here = { address: payment.address, tokenAddress: chain.token, ...pick }
  await happen(house.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...here })
  await giveOut(house.sql, payment)
  return payment
}
const openedForEther = () => opened({ asset: 'ETH', tokenAddress: null, pegged: false })

const find = async ({ actor }: MadePayment) => {
  const payment = await findPayment(house.sql, { id: actor, merchantId, livemode: false })
  if (!payment) throw new Error('the payment is not there')
  return payment
}
const submit = async (payment: MadePayment, hash: string) => submitTransaction(house.api, await find(payment), hash)

const look = async (payment: MadePayment) => {
  const { state, context } = await find(payment)
  const events = await house.sql<
    { type: string }[]
  >`select type from events where actor = ${payment.actor} order by rev`
  const { failureReason, exception, attention, stray, finalStrays } = context
  return {
    ...{ state, failureReason, exception, attention, stray, finalStrays },
    events: events.map(({ type }) => type.replace('payment.', '')),
  }
}

const elsewhere = `0x${'e1'.repeat(20)}` as const
const reverting = () => send({ data: '0x5f5ffd' })

type Case = readonly [string, () => Promise<MadePayment>, (payment: MadePayment) => Promise<string>, object]

const failed = { state: 'failed', exception: null, attention: false, stray: null, events: ['created', 'failed'] }
const untouched = { state: 'pending', failureReason: null, exception: null, attention: false, events: ['created'] }
const stray = (which: string) => ({ ...failed, exception: which, attention: true, stray: which, finalStrays: 1 })

test.each<Case>([
  ['reverted', opened, reverting, { ...failed, failureReason: 'reverted' }],
  ['went to somebody else', opened, () => chain.pay(elsewhere, 1000n), { ...failed, failureReason: 'wrong_recipient' }],
  ['paid nobody', opened, () => send({ to: elsewhere }), { ...failed, failureReason: 'wrong_recipient' }],
  [
    'was of another token',
    opened,
    ({ address }) => chain.pay(address, 1000n, chain.otherToken),
    { ...stray('wrong_asset'), failureReason: 'wrong_asset' },
  ],
  [
    'was of a token that counts for nothing',
    opened,
    ({ address }) => chain.pay(address, 1000n, unknownToken),
    { ...failed, failureReason: 'wrong_asset' },
  ],
  [
    'was of coins, and a token was picked',
    opened,
    ({ address }) => send({ to: address, value: '0x3e8' }),
    { ...stray('wrong_asset'), failureReason: 'wrong_asset' },
  ],
  [
    'was of a token, and coins were picked',
    openedForEther,
    ({ address }) => chain.pay(address, 1000n),
    { ...stray('wrong_asset'), failureReason: 'wrong_asset' },
  ],
  ['was of nothing', opened, ({ address }) => chain.pay(address, 0n), { ...failed, failureReason: 'amount_mismatch' }],
  [
    'was of no coins',
    openedForEther,
    ({ address }) => send({ to: address }),
    { ...failed, failureReason: 'amount_mismatch' },
  ],
  [
    'sent coins to somebody else',
    openedForEther,
    () => send({ to: elsewhere, value: '0x3e8' }),
    { ...failed, failureReason: 'wrong_recipient' },
  ],
])('a final transaction that %s fails the payment, and not before it is final', async (_, open, pay, expected) => {
  const payment = await open()
  const hash = await pay(payment)
  await submit(payment, hash)
  await decide()
  await chain.mine(CONFIRMATIONS - 1)
  await read()
  await decide()
  expect((await look(payment)).state).toBe('pending')
  await chain.mine()
  await read()
  await decide()
  expect(await look(payment)).toMatchObject(expected)
  // What the books find of it is told already.
  await bury()
  expect(await look(payment)).toMatchObject(expected)
})

test('one that has paid decides nothing, be it too little or too late: the books do', async () => {
  const [whole, little, coins] = [await opened(), await opened(), await openedForEther()]
  const hashes = [await chain.pay(whole.address, 1000n), await chain.pay(little.address, 400n)]
  const inCoins = await send({ to: coins.address, value: '0x190' })
  for (const [n, payment] of [whole, little].entries()) await submit(payment, hashes[n] ?? '')
  await submit(coins, inCoins)
  await chain.mine(CONFIRMATIONS)
  await decide()
  expect([(await look(whole)).state, (await look(little)).state]).toEqual(['pending', 'pending'])
  await read()
  // Of coins the books need not know yet.
  await house.sql`delete from unsettled_payments`
  await decide()
  expect(await look(whole)).toMatchObject({ state: 'success', failureReason: null })
  expect(await look(little)).toMatchObject({ state: 'pending', exception: 'underpaid', failureReason: null })
  expect(await look(coins)).toMatchObject({ failureReason: null })
})

test('coins that a contract has sent on are not taken for coins that went elsewhere', async () => {
  // Sends what it is sent to whom it is told.
  const relay = await deploy('5f5f5f5f345f355af100')
  const payment = await openedForEther()
  const to = payment.address.slice(2).padStart(64, '0')
  await submit(payment, await send({ to: relay, value: '0x3e8', data: `0x${to}` }))
  await bury()
  await decide()
  expect((await look(payment)).failureReason).toBe(null)
})

test('unknown ones change nothing and are looked for less and less often', async () => {
  const payment = await opened()
  await submit(payment, hashOf('nobody knows', payment.actor))
  for (let n = 0; n < 12; n++) expect(await decide()).toBe(1)
  expect(await look(payment)).toMatchObject(untouched)
  const [row] = await house.sql<{ wait: number }[]>`
    select extract(epoch from next_look_at - now())::float as wait from submissions`
  expect(row?.wait).toBeGreaterThan(250)
  expect(row?.wait).toBeLessThanOrEqual(300)
})

test('of a payment that has seen money nothing is looked for, and when it is over nothing is kept', async () => {
  const payment = await opened()
  await submit(payment, await reverting())
  await chain.pay(payment.address, 300n)
  await bury()
  expect(await decide()).toBe(0)
  expect(await look(payment)).toMatchObject({ state: 'pending', exception: 'underpaid', failureReason: null })
  await chain.pay(payment.address, 700n)
  await bury()
  expect(await decide()).toBe(0)
  expect((await look(payment)).state).toBe('success')
  expect(await house.sql`select from submissions`).toHaveLength(0)
})

test('money that the books have and the payment was not told of yet comes first', async () => {
  const payment = await opened()
  await submit(payment, await reverting())
  await chain.pay(payment.address, 1000n)
  await chain.mine(CONFIRMATIONS)
  await readThe(31337, chain.url)
  expect(await decide()).toBe(0)
  await settle()
  await decide()
  expect((await look(payment)).state).toBe('success')
})

test('a merchant who waits for more blocks waits for as many of a transaction that failed', async () => {
  const payment = await opened({ confirmationsRequired: CONFIRMATIONS + 2 })
  await submit(payment, await reverting())
  await chain.mine(CONFIRMATIONS + 1)
  await read()
  await decide()
  expect((await look(payment)).state).toBe('pending')
  await chain.mine()
  await read()
  await decide()
  expect((await look(payment)).state).toBe('failed')
})

test('of two workers that look at once one decides, and once', async () => {
  const payment = await opened()
  await submit(payment, await reverting())
  await bury()
  await Promise.all([decide(), decide(), decide()])
  expect(await look(payment)).toMatchObject({ ...failed, failureReason: 'reverted' })
})

test.each(['before', 'after'])(
  'another asset ends the payment the same when the books tell of it %s the transaction does',
  async when => {
    const payment = await opened()
    await submit(payment, await chain.pay(payment.address, 1000n, chain.otherToken))
    await chain.mine(CONFIRMATIONS)
    await readThe(31337, chain.url)
    if (when === 'before') {
      await settle()
      expect(await look(payment)).toMatchObject({ state: 'pending', exception: 'wrong_asset', finalStrays: 1 })
      await decide()
    } else {
      const [untold] = await house.sql`delete from unsettled_payments where payment_id = ${payment.actor} returning *`
      await decide()
      await house.sql`insert into unsettled_payments ${house.sql({ ...untold })}`
      await settle()
    }
    expect(await look(payment)).toEqual({
      ...{ state: 'failed', failureReason: 'wrong_asset', exception: 'wrong_asset', attention: true },
      ...{ stray: 'wrong_asset', finalStrays: 1, events: ['created', 'failed'] },
    })
  },
)

test('one that is final on another chain of the mode is on the wrong one, with money there or without', async () => {
  const [paid, empty] = [await opened(), await opened()]
  const [from] = other.accounts
  const inOther = (to: string) => other.call('eth_sendTransaction', { from, to, value: '0x3e8' })
  await submit(paid, String(await inOther(paid.address)))
  await submit(empty, String(await inOther(elsewhere)))
  await other.mine(CONFIRMATIONS - 1)
  await readOther()
  await decide()
  expect((await look(paid)).state).toBe('pending')
  await other.mine()
  await readOther()
  await decide()
  expect(await look(paid)).toMatchObject({ ...stray('wrong_chain'), failureReason: 'wrong_chain' })
  expect(await look(empty)).toMatchObject({ ...failed, failureReason: 'wrong_chain' })
})

test('one that both chains have is not on the wrong one because a node of its own knows nothing of it', async () => {
  // Signed for no chain, as the oldest wallets do, it can be sent on every one.
  const sender = privateKeyToAccount(`0x${'5e'.repeat(32)}`)
  const legacy = { type: 'legacy', nonce: 0, gas: 21_000n, gasPrice: 10n ** 10n, to: elsewhere, value: 1n } as const
  const raw = await sender.signTransaction(legacy)
  const hash = keccak256(raw)
  for (const call of [chain.rpc, other.call]) {
    await call('anvil_setBalance', sender.address, '0xde0b6b3a7640000')
    await call('eth_sendRawTransaction', raw)
  }
  const payment = await opened()
  await submit(payment, hash)
  await bury()
  await other.mine(CONFIRMATIONS)
  await readOther()

  await using forgetful = await through(chain.url, ({ params: [asked] }, answer) => (asked === hash ? null : answer))
  await using slow = await faultyNode(chain.url)
  slow.break('slow', { ms: 100 })
  await decide(forgetful.url, slow.url)
  expect(await look(payment)).toMatchObject(untouched)
  await decide()
  expect(await look(payment)).toMatchObject({ ...failed, failureReason: 'wrong_recipient' })
})

test('a transaction that is reorganised away before it is final has not failed', async () => {
  const payment = await opened()
  await submit(payment, await reverting())
  await chain.mine(2)
  await read()
  await decide()
  await chain.reorganize(2, [[chain.payment(payment.address, 1000n), 0]])
  await bury()
  await decide()
  expect(await look(payment)).toMatchObject({ state: 'success', failureReason: null })
})

test.each([
  ['says that it did not revert', reverting, 'lies_about_receipt', {}],
  ['has no receipt', reverting, 'lies_about_receipt', { how: 'missing' }],
  ['has the receipt of another block', reverting, 'lies_about_receipt', { how: 'block' }],
  ['names another recipient', () => chain.pay(elsewhere, 1n), 'lies_about_log', { how: 'recipient' }],
  ['has another chain', reverting, 'lies_about_block', {}],
  ['lags', reverting, 'lags', { blocks: 100 }],
] as const)('while one of two nodes %s nothing is decided', async (_, pay, fault, knobs) => {
  await using node = await faultyNode(chain.url)
  const payment = await opened()
  await submit(payment, await pay())
  await bury()
  node.break(fault, knobs)
  for (let n = 0; n < 3; n++) expect(await decide(chain.url, node.url)).toBe(1)
  expect(await look(payment)).toMatchObject(untouched)
  node.mend()
  await decide(chain.url, node.url)
  expect((await look(payment)).state).toBe('failed')
})

test('one of two nodes that says of a payment that it reverted fails nothing', async () => {
  await using node = await faultyNode(chain.url)
  const payment = await opened()
  await submit(payment, await chain.pay(payment.address, 1000n))
  await chain.mine(CONFIRMATIONS)
  await readThe(31337, chain.url)
  const [untold] = await house.sql`delete from unsettled_payments where payment_id = ${payment.actor} returning *`
  node.break('lies_about_receipt', { how: 'status' })
  for (let n = 0; n < 3; n++) expect(await decide(chain.url, node.url)).toBe(1)
  expect(await look(payment)).toMatchObject(untouched)
  await house.sql`insert into unsettled_payments ${house.sql({ ...untold })}`
  await settle()
  expect((await look(payment)).state).toBe('success')
})

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
import { hashOf, issueAddress } from './ledger.ts'
import { changedNode, type TestChain, testChain } from './test-node.ts'

let server: ApiServer
let chain: TestChain
/** Another chain of the same mode. */
let other: Node
let merchantId: string
/** A token that is not watched. */
let unknownToken: string

const CONFIRMATIONS = 4
const OTHER = 31338

beforeAll(async () => {
  server = await apiServer({ routes: [] })
  chain = await testChain()
  other = await anvil({ mining: 'none', args: ['--chain-id', String(OTHER)] })
  merchantId = await insertMerchant(server.sql)
  unknownToken = await deploy(`6024355f52600435337f${TRANSFER}60205fa300`)
  await chain.mine(10)
  await read()
  await readOther()
})
afterAll(async () => {
  expect(await audit(server.sql, kinds)).toEqual([])
  await chain[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})
// After each test everything is final and no submission is left.
afterEach(async () => {
  await finalizeAll()
  await server.sql`delete from submissions`
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

const rpcOf = (chainId: number, ...urls: string[]) => openRpc({ chainId, urls }, server.api)

const readThe = async (id: number, url: string): Promise<void> => {
  const watched = { id, tokens: tokens(), confirmations: CONFIRMATIONS }
  const source = openSource(rpcOf(id, url), watched.tokens)
  for (let steps = 0; steps < 200; steps++) if ((await readNext(server.sql, watched, source)) === 'idle') break
  await finalizeNext(server.sql, watched, source)
}
const settle = async () => {
  while ((await settlePayments(server.api)) > 0);
}
const read = async () => {
  await readThe(31337, chain.url)
  await settle()
}
const readOther = async () => {
  await readThe(OTHER, other.url)
  await settle()
}
/** Makes everything so far final, and reads it. */
const finalizeAll = async () => {
  await chain.mine(CONFIRMATIONS)
  await read()
}

const chainOf = (id: number, ...urls: string[]): SubmissionChain => ({
  ...{ id, livemode: false, tokens: tokens(), pollMs: 20 },
  transactions: openTransactions(rpcOf(id, ...urls)),
})

/** Checks all submissions now, as a process does that has just started. */
const decide = async (...urls: string[]): Promise<number> => {
  await server.sql`update submissions set next_look_at = now()`
  const own = chainOf(31337, ...(urls.length > 0 ? urls : [chain.url]))
  const chains = [own, chainOf(OTHER, other.url)]
  return decideSubmissions(server.api, own, { chains, signal: new AbortController().signal })
}

const opened = async (pick: object = {}): Promise<MadePayment> => {
  const payment = await makePayment(server.api, { merchantId, livemode: false }, '')
  const here = { address: payment.address, tokenAddress: chain.token, ...pick }
  await happen(server.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...here })
  await issueAddress(server.sql, payment)
  return payment
}
const openedForEther = () => opened({ asset: 'ETH', tokenAddress: null, pegged: false })

const find = async ({ actor }: MadePayment) => {
  const payment = await findPayment(server.sql, { id: actor, merchantId, livemode: false })
  if (!payment) throw new Error('the payment does not exist')
  return payment
}
const submit = async (payment: MadePayment, hash: string) => submitTransaction(server.api, await find(payment), hash)

const summaryOf = async (payment: MadePayment) => {
  const { state, context } = await find(payment)
  const events = await server.sql<
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
  ['paid another address', opened, () => chain.pay(elsewhere, 1000n), { ...failed, failureReason: 'wrong_recipient' }],
  ['paid no one', opened, () => send({ to: elsewhere }), { ...failed, failureReason: 'wrong_recipient' }],
  [
    'moved another token',
    opened,
    ({ address }) => chain.pay(address, 1000n, chain.otherToken),
    { ...stray('wrong_asset'), failureReason: 'wrong_asset' },
  ],
  [
    'moved a token that is not accepted',
    opened,
    ({ address }) => chain.pay(address, 1000n, unknownToken),
    { ...failed, failureReason: 'wrong_asset' },
  ],
  [
    'moved native currency in place of the picked token',
    opened,
    ({ address }) => send({ to: address, value: '0x3e8' }),
    { ...stray('wrong_asset'), failureReason: 'wrong_asset' },
  ],
  [
    'moved a token in place of the picked native currency',
    openedForEther,
    ({ address }) => chain.pay(address, 1000n),
    { ...stray('wrong_asset'), failureReason: 'wrong_asset' },
  ],
  ['moved amount 0', opened, ({ address }) => chain.pay(address, 0n), { ...failed, failureReason: 'amount_mismatch' }],
  [
    'moved no native currency',
    openedForEther,
    ({ address }) => send({ to: address }),
    { ...failed, failureReason: 'amount_mismatch' },
  ],
  [
    'sent native currency to another address',
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
  expect((await summaryOf(payment)).state).toBe('pending')
  await chain.mine()
  await read()
  await decide()
  expect(await summaryOf(payment)).toMatchObject(expected)
  // Its recorded transfers have been applied already.
  await finalizeAll()
  expect(await summaryOf(payment)).toMatchObject(expected)
})

test('a transaction that paid does not decide, even too little or too late: recorded transfers do', async () => {
  const [whole, little, native] = [await opened(), await opened(), await openedForEther()]
  const hashes = [await chain.pay(whole.address, 1000n), await chain.pay(little.address, 400n)]
  const nativeHash = await send({ to: native.address, value: '0x190' })
  for (const [n, payment] of [whole, little].entries()) await submit(payment, hashes[n] ?? '')
  await submit(native, nativeHash)
  await chain.mine(CONFIRMATIONS)
  await decide()
  expect([(await summaryOf(whole)).state, (await summaryOf(little)).state]).toEqual(['pending', 'pending'])
  await read()
  // The transfer of native currency need not be recorded yet.
  await server.sql`delete from unsettled_payments`
  await decide()
  expect(await summaryOf(whole)).toMatchObject({ state: 'success', failureReason: null })
  expect(await summaryOf(little)).toMatchObject({ state: 'pending', exception: 'underpaid', failureReason: null })
  expect(await summaryOf(native)).toMatchObject({ failureReason: null })
})

test('native currency forwarded by a contract does not count as sent to another address', async () => {
  // A contract that forwards its value to the address in the call data.
  const relay = await deploy('5f5f5f5f345f355af100')
  const payment = await openedForEther()
  const to = payment.address.slice(2).padStart(64, '0')
  await submit(payment, await send({ to: relay, value: '0x3e8', data: `0x${to}` }))
  await finalizeAll()
  await decide()
  expect((await summaryOf(payment)).failureReason).toBe(null)
})

test('unknown transactions change nothing and are checked less and less often', async () => {
  const payment = await opened()
  await submit(payment, hashOf('unknown', payment.actor))
  for (let n = 0; n < 12; n++) expect(await decide()).toBe(1)
  expect(await summaryOf(payment)).toMatchObject(untouched)
  const [row] = await server.sql<{ wait: number }[]>`
    select extract(epoch from next_look_at - now())::float as wait from submissions`
  expect(row?.wait).toBeGreaterThan(250)
  expect(row?.wait).toBeLessThanOrEqual(300)
})

test('submissions of a payment with seen money are not checked, and those of a closed one are deleted', async () => {
  const payment = await opened()
  await submit(payment, await reverting())
  await chain.pay(payment.address, 300n)
  await finalizeAll()
  expect(await decide()).toBe(0)
  expect(await summaryOf(payment)).toMatchObject({ state: 'pending', exception: 'underpaid', failureReason: null })
  await chain.pay(payment.address, 700n)
  await finalizeAll()
  expect(await decide()).toBe(0)
  expect((await summaryOf(payment)).state).toBe('success')
  expect(await server.sql`select from submissions`).toHaveLength(0)
})

test('recorded money that is not applied yet takes precedence', async () => {
  const payment = await opened()
  await submit(payment, await reverting())
  await chain.pay(payment.address, 1000n)
  await chain.mine(CONFIRMATIONS)
  await readThe(31337, chain.url)
  expect(await decide()).toBe(0)
  await settle()
  await decide()
  expect((await summaryOf(payment)).state).toBe('success')
})

test('a failed transaction needs as many confirmations as the merchant requires', async () => {
  const payment = await opened({ confirmationsRequired: CONFIRMATIONS + 2 })
  await submit(payment, await reverting())
  await chain.mine(CONFIRMATIONS + 1)
  await read()
  await decide()
  expect((await summaryOf(payment)).state).toBe('pending')
  await chain.mine()
  await read()
  await decide()
  expect((await summaryOf(payment)).state).toBe('failed')
})

test('of two parallel workers one decides, once', async () => {
  const payment = await opened()
  await submit(payment, await reverting())
  await finalizeAll()
  await Promise.all([decide(), decide(), decide()])
  expect(await summaryOf(payment)).toMatchObject({ ...failed, failureReason: 'reverted' })
})

test.each(['before', 'after'])(
  'another asset ends the payment the same whether its transfer is applied %s the submission is checked',
  async when => {
    const payment = await opened()
    await submit(payment, await chain.pay(payment.address, 1000n, chain.otherToken))
    await chain.mine(CONFIRMATIONS)
    await readThe(31337, chain.url)
    if (when === 'before') {
      await settle()
      expect(await summaryOf(payment)).toMatchObject({ state: 'pending', exception: 'wrong_asset', finalStrays: 1 })
      await decide()
    } else {
      const [unsettled] =
        await server.sql`delete from unsettled_payments where payment_id = ${payment.actor} returning *`
      await decide()
      await server.sql`insert into unsettled_payments ${server.sql({ ...unsettled })}`
      await settle()
    }
    expect(await summaryOf(payment)).toEqual({
      ...{ state: 'failed', failureReason: 'wrong_asset', exception: 'wrong_asset', attention: true },
      ...{ stray: 'wrong_asset', finalStrays: 1, events: ['created', 'failed'] },
    })
  },
)

test('a transaction final on another chain of the mode is on the wrong chain, with or without money', async () => {
  const [paid, empty] = [await opened(), await opened()]
  const [from] = other.accounts
  const inOther = (to: string) => other.call('eth_sendTransaction', { from, to, value: '0x3e8' })
  await submit(paid, String(await inOther(paid.address)))
  await submit(empty, String(await inOther(elsewhere)))
  await other.mine(CONFIRMATIONS - 1)
  await readOther()
  await decide()
  expect((await summaryOf(paid)).state).toBe('pending')
  await other.mine()
  await readOther()
  await decide()
  expect(await summaryOf(paid)).toMatchObject({ ...stray('wrong_chain'), failureReason: 'wrong_chain' })
  expect(await summaryOf(empty)).toMatchObject({ ...failed, failureReason: 'wrong_chain' })
})

test('a transaction on both chains is not on the wrong chain although one node lacks it', async () => {
  // Signed without a chain id, as by old wallets, it can be sent on every chain.
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
  await finalizeAll()
  await other.mine(CONFIRMATIONS)
  await readOther()

  await using lacking = await changedNode(chain.url, ({ params: [asked] }, answer) => (asked === hash ? null : answer))
  await using slow = await faultyNode(chain.url)
  slow.break('slow', { ms: 100 })
  await decide(lacking.url, slow.url)
  expect(await summaryOf(payment)).toMatchObject(untouched)
  await decide()
  expect(await summaryOf(payment)).toMatchObject({ ...failed, failureReason: 'wrong_recipient' })
})

test('a transaction removed by a reorg before it is final has not failed', async () => {
  const payment = await opened()
  await submit(payment, await reverting())
  await chain.mine(2)
  await read()
  await decide()
  await chain.reorganize(2, [[chain.payment(payment.address, 1000n), 0]])
  await finalizeAll()
  await decide()
  expect(await summaryOf(payment)).toMatchObject({ state: 'success', failureReason: null })
})

test.each([
  ['reports that it did not revert', reverting, 'lies_about_receipt', {}],
  ['has no receipt', reverting, 'lies_about_receipt', { how: 'missing' }],
  ['has the receipt of another block', reverting, 'lies_about_receipt', { how: 'block' }],
  ['names another recipient', () => chain.pay(elsewhere, 1n), 'lies_about_log', { how: 'recipient' }],
  ['is on another fork', reverting, 'lies_about_block', {}],
  ['is behind', reverting, 'lags', { blocks: 100 }],
] as const)('while one of two nodes %s nothing is decided', async (_, pay, fault, knobs) => {
  await using node = await faultyNode(chain.url)
  const payment = await opened()
  await submit(payment, await pay())
  await finalizeAll()
  node.break(fault, knobs)
  for (let n = 0; n < 3; n++) expect(await decide(chain.url, node.url)).toBe(1)
  expect(await summaryOf(payment)).toMatchObject(untouched)
  node.mend()
  await decide(chain.url, node.url)
  expect((await summaryOf(payment)).state).toBe('failed')
})

test('a transaction that only one of two nodes reports as reverted does not fail the payment', async () => {
  await using node = await faultyNode(chain.url)
  const payment = await opened()
  await submit(payment, await chain.pay(payment.address, 1000n))
  await chain.mine(CONFIRMATIONS)
  await readThe(31337, chain.url)
  const [unsettled] = await server.sql`delete from unsettled_payments where payment_id = ${payment.actor} returning *`
  node.break('lies_about_receipt', { how: 'status' })
  for (let n = 0; n < 3; n++) expect(await decide(chain.url, node.url)).toBe(1)
  expect(await summaryOf(payment)).toMatchObject(untouched)
  await server.sql`insert into unsettled_payments ${server.sql({ ...unsettled })}`
  await settle()
  expect((await summaryOf(payment)).state).toBe('success')
})

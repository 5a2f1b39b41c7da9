import { describe, expect, test } from 'bun:test'
import { type } from 'arktype'
import { checksummed } from '../../src/chain/checksum.ts'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { settlePayments } from '../../src/chain/watch/settle.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { encodeId } from '../../src/ids.ts'
import { insertKey } from '../access/keys.ts'
import { issueAddress, openLedger, SENDER, type SentTransfer, TOKEN } from '../chain/watch/ledger.ts'
import { rewrite } from '../harness/rewrite.ts'
import { hash, payments } from '../machines/payment-cases.ts'
import { expectNoCursors, expectPages, idsOf, refusedSearches, testRefusedQueries } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { type MadePayment, makePayment, move } from './payments.ts'
import { member, type Shop, shop } from './people.ts'
import { type Asked, twoShops } from './two-shops.ts'

const sandbox = { ...sandboxChain({ token: TOKEN, feed: TOKEN, euroFeed: TOKEN }), explorerUrl: 'https://scan.example' }
const { server, lamps, chairs, liveKey, ask, page } = await twoShops({
  routes: paymentRoutes,
  chains: outside => connectChains([sandbox], () => [], outside),
})
const ledger = await openLedger(server.sql)
const viewer = await member(server.api, lamps, 'viewer')

const crypto = type({
  '+': 'reject',
  chainId: 'number.integer',
  network: 'string',
  asset: 'string',
  tokenAddress: 'string | null',
  decimals: 'number.integer',
  address: /^0x[0-9a-fA-F]{40}$/,
  payerAddress: 'string | null',
  txHash: 'string | null',
  blockNumber: 'number.integer | null',
  confirmations: 'number.integer',
  confirmationsRequired: 'number.integer',
  amountExpected: /^\d+$/,
  amountReceived: /^\d+$/,
  exception: 'string | null',
  quote: type({ '+': 'reject', rate: 'string', source: 'string', expiresAt: 'string' }).or('null'),
  transfers: type({
    '+': 'reject',
    txHash: 'string | null',
    logIndex: 'number.integer | null',
    blockNumber: 'number.integer',
    blockHash: /^0x[0-9a-f]{64}$/,
    minedAt: 'string',
    from: 'string | null',
    amount: /^\d+$/,
    confirmations: 'number.integer',
    state: "'seen' | 'final' | 'orphaned'",
  }).array(),
  paymentUri: 'string',
  explorerUrl: 'string | null',
})
const payment = type({
  '+': 'reject',
  object: "'payment'",
  id: /^pay_[0-9a-z]{26}$/,
  merchantId: /^mer_[0-9a-z]{26}$/,
  method: "'crypto'",
  status: "'pending' | 'processing' | 'success' | 'failed' | 'expired' | 'canceled'",
  amountMinor: 'number.integer',
  amountRefundedMinor: 'number.integer',
  currency: 'string',
  customerEmail: 'string',
  customerName: 'string | null',
  failureReason: 'string | null',
  paymentLinkId: /^plink_[0-9a-z]{26}$/,
  customerId: 'string | null',
  invoiceId: 'string | null',
  reference: 'string | null',
  metadata: { '[string]': 'string' },
  expiresAt: 'string',
  livemode: 'boolean',
  createdAt: 'string',
  updatedAt: 'string',
  invoiceNumber: 'null',
  receiptUrl: 'string | null',
  attention: 'boolean',
  crypto: crypto.or('null'),
})

const read = (id: string, asked: Asked = {}) => ask('GET', `/payments/${id}`, asked)
const recordOf = async (id: string) => payment.assert((await read(id)).json)
const list = (query = '', asked?: Asked) => page<typeof payment.infer>(`/payments${query}`, asked)
const make = (situation?: string, more?: Parameters<typeof makePayment>[3]) =>
  makePayment(server.api, { ...lamps, livemode: false }, situation, more)
/** Adds the payment's uncredited money to the transfers of its chain. */
const made = async (situation: string, more?: Parameters<typeof makePayment>[3]) => {
  const payment = await make(situation, more)
  if (situation !== 'stray') return payment
  await issueAddress(server.sql, payment)
  await ledger.block([paying(payment, 1000n, { token: null })])
  await ledger.finalize()
  while ((await settlePayments(server.api)) > 0);
  return payment
}
/** A payment whose address is registered, so that transfers to it are attributed. */
const picked = async () => {
  const payment = await make('picked')
  await issueAddress(server.sql, payment)
  return payment
}
const paying = ({ address }: MadePayment, amount: bigint, more: Partial<SentTransfer> = {}): SentTransfer => ({
  to: address.toLowerCase(),
  amount,
  ...more,
})
const asOwner = (json?: object): Asked => ({ path: lamps.path, bearer: lamps.owner.bearer, ...(json && { json }) })
const cancel = (id: string, asked = asOwner()) => ask('POST', `/payments/${id}/cancel`, asked)
const resolve = (id: string, action: string, asked = asOwner({ action })) =>
  ask('POST', `/payments/${id}/resolve`, asked)
const eventsOf = async (actor: string) =>
  (await server.sql<{ type: string }[]>`select type from events where actor = ${actor} order by rev`).map(e => e.type)
const linkOf = async (id: string) =>
  (await server.sql`select state, payments_processing, payments_count from payment_links where id = ${id}`)[0]

describe('GET /v1/payments/:id', () => {
  test('200: the amount paid and its state on the chain', async () => {
    const payment = await picked()
    const { id, linkId } = payment
    const minedAt = new Date('2026-01-02T03:04:05.000Z')
    const blockNumber = await ledger.block([paying(payment, 1000n)], minedAt)
    const [block] = await server.sql<{ hash: string }[]>`select hash from chain_blocks where number = ${blockNumber}`
    for (let n = 0; n < 2; n++) await ledger.block()
    await settlePayments(server.api)
    await ledger.finalize()
    await settlePayments(server.api)
    const record = await recordOf(id)
    const [address, tokenAddress, from] = [payment.address, TOKEN, SENDER].map(checksummed)
    const txHash = record.crypto?.txHash
    expect(txHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(record).toMatchObject({
      id,
      merchantId: encodeId('mer', lamps.merchantId),
      status: 'success',
      amountMinor: 1000,
      amountRefundedMinor: 0,
      currency: 'USD',
      customerEmail: 'ada@example.com',
      customerName: null,
      failureReason: null,
      paymentLinkId: linkId,
      reference: 'order 7',
      metadata: { shelf: 'B' },
      expiresAt: new Date(Date.parse(record.createdAt) + 30 * 60_000).toISOString(),
      livemode: false,
      crypto: {
        chainId: 31337,
        network: 'Sandbox',
        asset: 'TUSD',
        tokenAddress,
        decimals: 2,
        address,
        payerAddress: from,
        txHash,
        blockNumber,
        confirmations: 3,
        confirmationsRequired: 3,
        amountExpected: '1000',
        amountReceived: '1000',
        exception: null,
        quote: null,
        transfers: [
          {
            ...{ txHash, logIndex: 0, blockNumber, blockHash: block?.hash, minedAt: minedAt.toISOString() },
            ...{ from, amount: '1000', confirmations: 3, state: 'final' },
          },
        ],
        paymentUri: `ethereum:${tokenAddress}@31337/transfer?address=${address}&uint256=1000`,
        explorerUrl: `https://scan.example/tx/${txHash}`,
      },
    })
    // Confirmations go on counting.
    await ledger.block()
    expect((await recordOf(id)).crypto?.confirmations).toBe(4)
  })

  test('200: of several transfers the latest counts; one that a reorg dropped does not', async () => {
    const payment = await picked()
    const first = await ledger.block([paying(payment, 400n)])
    const second = await ledger.block([paying(payment, 600n), paying(payment, 5n, { token: SENDER })])
    const look = async () => {
      await settlePayments(server.api)
      const { status, crypto } = await recordOf(payment.id)
      const transfers = crypto?.transfers.map(each => [each.blockNumber, each.amount, each.state, each.confirmations])
      return { status, transfers, confirmations: crypto?.confirmations, explorerUrl: crypto?.explorerUrl }
    }
    expect(await look()).toMatchObject({
      status: 'processing',
      confirmations: 1,
      // Transfers of another asset are not added to the amount.
      transfers: [
        [first, '400', 'seen', 2],
        [second, '600', 'seen', 1],
      ],
    })
    await ledger.rewind(first - 1)
    const address = checksummed(payment.address)
    expect(await look()).toEqual({
      status: 'pending',
      confirmations: 0,
      transfers: [
        [first, '400', 'orphaned', 0],
        [second, '600', 'orphaned', 0],
      ],
      explorerUrl: `https://scan.example/address/${address}`,
    })
    // The first transfer comes back in another block.
    const tx = (await recordOf(payment.id)).crypto?.transfers[0]?.txHash
    const again = await ledger.block([{ to: SENDER, amount: 1n }, paying(payment, 400n, { ...(tx && { tx }) })])
    expect(await look()).toMatchObject({
      status: 'pending',
      transfers: [
        [again, '400', 'seen', 1],
        [second, '600', 'orphaned', 0],
      ],
    })
  })

  test('200: native transfers have no log index, and those sent by a contract have no transaction', async () => {
    const payment = await make('pick ether, see 1000 in ether')
    const to_address = payment.address
    const row = { chain_id: 31337, payment_id: payment.actor, to_address, mined_at: new Date(), state: 'final' }
    await server.sql`insert into transfers ${server.sql([
      {
        ...row,
        tx_hash: hash(6),
        log_index: -1,
        block_number: 6,
        block_hash: hash(1),
        from_address: SENDER,
        amount: 900,
      },
      {
        ...row,
        tx_hash: hash(7),
        log_index: -2,
        block_number: 7,
        block_hash: hash(2),
        from_address: null,
        amount: 100,
      },
    ])}`
    const { crypto } = await recordOf(payment.id)
    expect(crypto).toMatchObject({
      txHash: null,
      blockNumber: 7,
      transfers: [
        { txHash: hash(6), logIndex: null, blockNumber: 6, from: checksummed(SENDER), amount: '900' },
        { txHash: null, logIndex: null, blockNumber: 7, from: null, amount: '100' },
      ],
    })
    await server.sql`update transfers set tx_hash = ${hash(5)} where payment_id = ${payment.actor} and log_index = -2`
    expect((await recordOf(payment.id)).crypto?.txHash).toBe(hash(7))
  })

  test('200: of a chain that is no longer enabled only the id is known', async () => {
    const { id, actor } = await make('picked')
    await rewrite(server.sql, 'payments', [actor], { chain_id: 5 })
    expect((await recordOf(id)).crypto).toMatchObject({ network: 'Chain 5', explorerUrl: null, confirmations: 0 })
  })

  // Without refunded payments: refunds are made by their own routes, otherwise the ledger would not balance.
  const situations = Object.keys(payments.situations).filter(name => !name.startsWith('refund'))
  test.each(situations)('200: a payment that is %s has all fields', async situation => {
    const { id, actor } = await make(situation)
    const record = await recordOf(id)
    const [row] = await server.sql<{ state: string; asset: string | null; received: string }[]>`
      select state, asset, amount_received::text as received from payments where id = ${actor}`
    expect([record.status, record.crypto?.asset ?? null]).toEqual([row?.state, row?.asset] as never)
    expect(record.crypto?.amountReceived ?? '0').toBe(row?.received ?? '')
  })

  test('200: a payment in ether has its quote and its payment URI', async () => {
    const { id } = await make('picked ether')
    const record = await recordOf(id)
    expect(record.crypto).toMatchObject({
      tokenAddress: null,
      quote: { rate: '2500.00', source: 'chainlink' },
      confirmations: 0,
      transfers: [],
      paymentUri: `ethereum:${record.crypto?.address}@31337?value=1000`,
    })
  })

  test('200: an underpaid payment requests the rest', async () => {
    const payment = await picked()
    await ledger.block([paying(payment, 400n)])
    await settlePayments(server.api)
    const { crypto } = await recordOf(payment.id)
    expect(crypto).toMatchObject({ exception: 'underpaid', amountReceived: '400', confirmations: 1 })
    expect(crypto?.paymentUri).toEndWith('uint256=600')
  })

  test('200 for the owner of the key, 404 with the same text for all others', async () => {
    const { id } = await make()
    const { id: live } = await makePayment(server.api, { ...lamps, livemode: true })
    const { id: foreign } = await makePayment(server.api, { ...chairs, livemode: false })
    expect((await read(live, { bearer: liveKey })).status).toBe(200)
    await expectMissing(read, [live, foreign, ...namesNothing(id)])
  })
})

describe('GET /v1/payments', () => {
  test('200: newest first by pages, oldest first, with the same records as a single read, separated by mode', async () => {
    const here = await shop(server.api, 'Rugs')
    const bearer = (await insertKey(server.sql, here)).secret
    const made = []
    for (const situation of ['new', 'picked', 'success', 'late', 'canceled'])
      made.push(await makePayment(server.api, { ...here, livemode: false }, situation))
    const ids = made.map(({ id }) => id)
    await expectPages(query => list(query, { bearer }), ids)
    for (const record of (await list('', { bearer })).data)
      expect((await read(record.id, { bearer })).json).toEqual(record)
    const live = (await insertKey(server.sql, { ...here, livemode: true })).secret
    expect((await list('', { bearer: live })).data).toEqual([])
  })

  test('200: by state, by link, by reference, and by all of them', async () => {
    const here = await shop(server.api, 'Vases')
    const bearer = (await insertKey(server.sql, here)).secret
    const whose = { ...here, livemode: false }
    const vase = await makePayment(server.api, whose, 'success', { reference: 'vase 1' })
    const bowl = await makePayment(server.api, whose, 'expired', { reference: 'bowl 1' })
    const none = await makePayment(server.api, whose, 'expired', { reference: null })
    const found = async (query: string) => idsOf(await list(query, { bearer }))
    expect(await found('?status=success')).toEqual([vase.id])
    expect(await found('?status=expired')).toEqual([none.id, bowl.id])
    expect(await found('?status=expired&order=asc&limit=1')).toEqual([bowl.id])
    expect(await found(`?status=expired&startingAfter=${none.id}`)).toEqual([bowl.id])
    // A cursor is a position in the list, whether or not the filter includes it.
    expect(await found(`?status=expired&order=asc&startingAfter=${vase.id}`)).toEqual([bowl.id, none.id])
    expect(await found(`?paymentLinkId=${bowl.linkId}`)).toEqual([bowl.id])
    expect(await found('?reference=vase%201')).toEqual([vase.id])
    expect(await found(`?reference=vase%201&paymentLinkId=${vase.linkId}&status=success`)).toEqual([vase.id])
    expect(await found(`?reference=vase%201&paymentLinkId=${bowl.linkId}`)).toEqual([])
    // The link of another merchant and an unknown link have no payments here.
    expect(await found(`?paymentLinkId=${(await make()).linkId}`)).toEqual([])
    expect(await found(`?paymentLinkId=${encodeId('plink', vase.actor)}`)).toEqual([])
    expect(await found('?status=pending')).toEqual([])
  })

  testRefusedQueries(list, [
    ['status=paid', 'parameter_invalid', 'status'],
    ['status=success&status=paid', 'parameter_invalid', 'status'],
    ['status=', 'parameter_invalid', 'status'],
    [Array(11).fill('status=success').join('&'), 'parameter_invalid', 'status'],
    ['reference=a&reference=b', 'parameter_invalid', 'reference'],
    ...refusedSearches,
    ['reference=', 'parameter_invalid', 'reference'],
    [`reference=${'x'.repeat(201)}`, 'parameter_invalid', 'reference'],
    ['reference=a%00', 'parameter_invalid', 'reference'],
    ['paymentLinkId=', 'parameter_invalid', 'paymentLinkId'],
    ['paymentLinkId=pay_01m7ygh5qmfvg9bxgmmwc0qqnf', 'parameter_invalid', 'paymentLinkId'],
    ['paymentId=pay_01m7ygh5qmfvg9bxgmmwc0qqnf', 'parameter_unknown', 'paymentId'],
    ['attention=true', 'parameter_unknown', 'attention'],
    ['startingAfter=plink_01m7ygh5qmfvg9bxgmmwc0qqnf', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=pay_01m7ygh5qmfvg9bxgmmwc0qqnf', 'invalid_cursor', 'startingAfter'],
  ])

  test('400: a cursor of another merchant or of the other mode', async () => {
    const { id: foreign } = await makePayment(server.api, { ...chairs, livemode: false }, 'new')
    const { id: live } = await makePayment(server.api, { ...lamps, livemode: true }, 'new')
    await expectNoCursors(list, [foreign, live])
  })
})

describe('/v1/merchants/:merchantId/payments', () => {
  test('200: viewers list each mode and find payments of both by id', async () => {
    const here = await shop(server.api, 'Shelves')
    const asked = { path: here.path, bearer: (await member(server.api, here, 'viewer')).bearer }
    const atTest = await makePayment(server.api, { ...here, livemode: false })
    const live = await makePayment(server.api, { ...here, livemode: true })
    expect(idsOf(await list('', asked))).toEqual([atTest.id])
    expect(idsOf(await list('?livemode=false', asked))).toEqual([atTest.id])
    expect(idsOf(await list('?livemode=true', asked))).toEqual([live.id])
    expect(await list(`?livemode=true&startingAfter=${atTest.id}`, asked)).toMatchObject({ status: 400 })
    for (const { id } of [atTest, live]) payment.assert((await read(id, asked)).json)
    expect(await read((await make()).id, asked)).toMatchObject({ status: 404 })
  })

  test('200: attention=true lists payments that need a decision, until it is made', async () => {
    const here = await shop(server.api, 'Plants')
    const asked = { path: here.path, bearer: here.owner.bearer }
    const whose = { ...here, livemode: false }
    await makePayment(server.api, whose)
    const late = await makePayment(server.api, whose, 'late')
    const underpaid = await makePayment(server.api, whose, 'underpaid')
    const waiting = async (more = '') => idsOf(await list(`?attention=true${more}`, asked))
    expect(await waiting()).toEqual([underpaid.id, late.id])
    expect(await waiting('&status=failed')).toEqual([underpaid.id])
    expect(await waiting('&livemode=true')).toEqual([])
    await resolve(late.id, 'dismiss', { ...asked, json: { action: 'dismiss' } })
    expect(await waiting()).toEqual([underpaid.id])
    await resolve(underpaid.id, 'accept', { ...asked, json: { action: 'accept' } })
    expect(await waiting()).toEqual([])
    for (const value of ['false', '', '1'])
      expect(await list(`?attention=${value}`, asked)).toMatchObject({
        ...{ status: 400, error: { code: 'parameter_invalid', param: 'attention' } },
      })
  })
})

describe('POST /v1/merchants/:merchantId/payments/:id/cancel', () => {
  test.each(['new', 'picked', 'picked ether', 'stray'])(
    '200: a payment that is %s is canceled, with one event',
    async situation => {
      const { id, actor, link } = await make(situation)
      const before = await linkOf(link)
      const answer = await cancel(id)
      expect([answer.status, payment.assert(answer.json).status]).toEqual([200, 'canceled'])
      expect(await recordOf(id)).toEqual(answer.json as never)
      expect((await eventsOf(actor)).filter(name => name === 'payment.canceled')).toHaveLength(1)
      expect(await linkOf(link)).toEqual(before)
      const [last] =
        await server.sql`select event, split_part(cause, ' ', 1) as cause from transitions where actor = ${actor} order by rev desc limit 1`
      expect(last).toMatchObject({ event: 'cancel', cause: lamps.owner.id })
    },
  )

  test.each(['little', 'processing', 'success', 'expired', 'failed', 'canceled', 'late'])(
    '409: a payment that is %s',
    async situation => {
      const { id } = await make(situation)
      const before = await recordOf(id)
      expect(await cancel(id)).toMatchObject({ status: 409, error: { code: 'payment_not_cancelable' } })
      expect(await recordOf(id)).toEqual(before)
    },
  )

  test('of twenty simultaneous cancellations one succeeds', async () => {
    const { id, actor } = await make('picked')
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    expect(await eventsOf(actor)).toEqual(['payment.created', 'payment.canceled'])
  })

  test('money that arrives during the cancellation is in time or late, and never lost', async () => {
    for (let n = 0; n < 10; n++) {
      const made = await make('picked')
      const [canceled, seen] = await Promise.allSettled([cancel(made.id), move(server.api, made, 'see 1000')])
      const { status } = await recordOf(made.id)
      const isCanceled = canceled.status === 'fulfilled' && canceled.value.status === 200
      expect([status, seen.status]).toEqual(isCanceled ? ['canceled', 'rejected'] : ['processing', 'fulfilled'])
      expect(await linkOf(made.link)).toMatchObject({ payments_processing: isCanceled ? 0 : 1 })
    }
  })

  test('403 for viewers, 404 for members of other merchants and for keys, 400 with a body', async () => {
    const { id } = await make('picked')
    const as = ({ path, owner }: Shop, { bearer } = owner): Asked => ({ path, bearer })
    expect(await cancel(id, as(lamps, viewer))).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
    expect(await cancel(id, as(chairs))).toMatchObject({ status: 404, error: { code: 'resource_not_found' } })
    expect(await cancel(id, {})).toMatchObject({ status: 404, error: { code: 'route_not_found' } })
    expect(await cancel(id, asOwner({ reason: 'x' }))).toMatchObject({ status: 400, error: { param: 'reason' } })
    expect(await cancel(encodeId('pay', lamps.merchantId))).toMatchObject({ status: 404 })
    expect((await recordOf(id)).status).toBe('pending')
    const { id: live } = await makePayment(server.api, { ...lamps, livemode: true }, 'new')
    expect((await cancel(live)).status).toBe(200)
  })
})

describe('POST /v1/merchants/:merchantId/payments/:id/resolve', () => {
  test.each(['late', 'underpaid', 'little final', 'stray'])(
    '200: accepting a payment that is %s makes it a success',
    async situation => {
      const { id, actor, link } = await made(situation, { maxPayments: 1 })
      expect(await linkOf(link)).toMatchObject({ payments_count: 0 })
      const answer = await resolve(id, 'accept')
      expect([answer.status, payment.assert(answer.json)]).toEqual([
        200,
        expect.objectContaining({ status: 'success', failureReason: null }),
      ])
      expect(await recordOf(id)).toEqual(answer.json as never)
      expect((await eventsOf(actor)).filter(name => name === 'payment.succeeded')).toHaveLength(1)
      expect(await linkOf(link)).toMatchObject({ state: 'completed', payments_count: 1 })
      const causes = await server.sql`
      select kind, event from transitions where split_part(cause, ' ', 1) = ${lamps.owner.id} and actor in (${actor}, ${link}) order by kind`
      expect([...causes]).toEqual([
        { kind: 'payment', event: 'accept' },
        { kind: 'payment_link', event: 'payment_accepted' },
      ])
    },
  )

  test('200: a late payment on a closed link can be accepted', async () => {
    const made = await make('late')
    await server.api.actors.dispatch({ kind: 'payment_link', actor: made.link, event: { type: 'deactivate' } })
    expect((await resolve(made.id, 'accept')).status).toBe(200)
    expect(await linkOf(made.link)).toMatchObject({ state: 'deactivated', payments_count: 1 })
  })

  test.each(['late', 'underpaid', 'stray'])(
    '200: dismissing a payment that is %s leaves its state unchanged',
    async situation => {
      const { id, actor, link } = await made(situation)
      const [before, events, counts] = [await recordOf(id), await eventsOf(actor), await linkOf(link)]
      const answer = await resolve(id, 'dismiss')
      const { updatedAt } = payment.assert(answer.json)
      expect([answer.status, answer.json]).toEqual([200, { ...before, attention: false, updatedAt }])
      expect([await eventsOf(actor), await linkOf(link)]).toEqual([events, counts])
      expect(await resolve(id, 'dismiss')).toMatchObject({ status: 409, error: { code: 'state_conflict' } })
      // It can still be accepted: the money was received.
      expect((await resolve(id, 'accept')).status).toBe(200)
    },
  )

  test.each([
    ['accept', 'new'],
    ['accept', 'little'],
    ['accept', 'processing'],
    ['accept', 'success'],
    ['accept', 'expired'],
    ['accept', 'paid late'],
    ['accept', 'failed'],
    ['accept', 'canceled'],
    ['dismiss', 'new'],
    ['dismiss', 'success'],
    ['dismiss', 'expired'],
    ['dismiss', 'little final'],
  ])('409: %s of a payment that is %s', async (action, situation) => {
    const { id, link } = await make(situation)
    const [before, counts] = [await recordOf(id), await linkOf(link)]
    expect(await resolve(id, action)).toMatchObject({ status: 409, error: { code: 'state_conflict' } })
    expect([await recordOf(id), await linkOf(link)]).toEqual([before, counts])
  })

  test('of twenty simultaneous acceptances one succeeds, and the link counts one payment', async () => {
    const { id, actor, link } = await make('late')
    const answers = await Promise.all(Array.from({ length: 20 }, () => resolve(id, 'accept')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    expect((await eventsOf(actor)).filter(name => name === 'payment.succeeded')).toHaveLength(1)
    expect(await linkOf(link)).toMatchObject({ payments_count: 1 })
  })

  test.each<[string, object, string, string]>([
    ['no action', {}, 'parameter_missing', 'action'],
    ['another action', { action: 'refund' }, 'parameter_invalid', 'action'],
    ['an action of null', { action: null }, 'parameter_invalid', 'action'],
    ['another field', { action: 'accept', note: 'x' }, 'parameter_unknown', 'note'],
  ])('400: %s', async (_, json, code, param) => {
    const { id } = await make('late')
    expect(await resolve(id, '', asOwner(json))).toMatchObject({ status: 400, error: { code, param } })
    expect((await recordOf(id)).status).toBe('expired')
  })

  test('403 for viewers, 404 for members of other merchants and for keys', async () => {
    const { id } = await make('late')
    const json = { action: 'accept' }
    const as = ({ path, owner }: Shop, { bearer } = owner): Asked => ({ path, bearer, json })
    expect(await resolve(id, '', as(lamps, viewer))).toMatchObject({
      status: 403,
      error: { code: 'insufficient_role' },
    })
    expect(await resolve(id, '', as(chairs))).toMatchObject({ status: 404, error: { code: 'resource_not_found' } })
    expect(await resolve(id, '', { json })).toMatchObject({ status: 404, error: { code: 'route_not_found' } })
  })
})

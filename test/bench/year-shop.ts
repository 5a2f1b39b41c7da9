import { randomUUID } from 'node:crypto'
import { openCalls } from '../../src/demo/call.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { openInstance } from '../actors/lamps.ts'
import { until } from '../harness/until.ts'
import { AMOUNT_MINOR, insertLinks, insertMerchants } from './payments-setup.ts'
import { OWNER } from './web-shop.ts'
import { ASSET, startYearService, type YearService } from './year-service.ts'

/** How the example payments end. Each is made by the service, and copied as often as its share says. */
export const examples = {
  paid: { share: 0.767 },
  expired: { share: 0.16 },
  canceled: { share: 0.04 },
  late: { share: 0.014 },
  attention: { share: 0.003 },
  refunded: { share: 0.008 },
  refundToSign: { share: 0.003 },
  disputed: { share: 0.005 },
  /** The latest payments are waiting for their transfer. */
  waiting: { share: 0 },
} as const satisfies Readonly<Record<string, { readonly share: number }>>

export type ExampleName = keyof typeof examples
export const exampleNames = Object.keys(examples) as ExampleName[]

/** UUIDs, of the rows that the copies of an example belong to. */
export type Example = { readonly name: ExampleName; readonly payment: string; readonly link: string }

export type ExampleShop = {
  readonly examples: readonly Example[]
  /** The first is the big one, in which the examples were made. */
  readonly merchants: readonly string[]
}

const MERCHANTS = 5
const CONFIRMED = 45

/** Merchants with an endpoint each, an owner of all of them, and one payment of each kind of the first merchant. */
export const makeExampleShop = async (url: string): Promise<ExampleShop> => {
  await using connected = {
    sql: connect(url, { max: 2 }),
    [Symbol.asyncDispose]: () => connected.sql.end({ timeout: 1 }),
  }
  const { sql } = connected
  await sql`select check_era()`
  const merchants = await insertMerchants(sql, MERCHANTS, 'https://localhost/hooks')
  const [first = ''] = merchants
  // As create_merchant() does.
  await sql`insert into billing_settings (merchant_id) select id from merchants`
  await sql`insert into merchant_settings (merchant_id, livemode) select id, true from merchants`
  const links = await insertLinks(sql, [first], exampleNames.length)
  await sql`update payment_links set window_minutes = 30`
  const setPolicy = (policy: string) =>
    sql`update merchant_settings set late_policy = ${policy} where merchant_id = ${first}`
  const made: Example[] = []
  {
    await using service = await startYearService(url)
    const calls = await signUp(service.url, sql, merchants)
    const making: Making = { service, sql, calls, merchant: first, transferTo: openTransfers(service) }
    const make = async (name: ExampleName): Promise<void> => {
      const link = links[exampleNames.indexOf(name)]?.id ?? ''
      made.push({ name, link, payment: await makeExample(making, name, link) })
    }
    // Each waits for polls of the chain, so they are made at the same time, except the one under another policy.
    await setPolicy('accept_stablecoins')
    await Promise.all(exampleNames.filter(name => name !== 'attention').map(make))
    await setPolicy('needs_attention')
    await make('attention')
  }
  await expire(url, made)
  return { examples: made, merchants }
}

const signUp = async (url: string, sql: Sql, merchants: readonly string[]) => {
  const account = await openCalls(url)('POST', '/v1/auth/sign-up', { ...OWNER, merchantName: 'Lamps & Light' })
  await sql`
    insert into members (merchant_id, account_id, role)
    select id, (select id from accounts), 'owner' from unnest(${[...merchants]}::uuid[]) id`
  return openCalls(url, account.text('accessToken'))
}

type Making = {
  readonly service: YearService
  readonly sql: Sql
  readonly calls: ReturnType<typeof openCalls>
  readonly merchant: string
  /** Pays an address; returns the hash of the transaction, which is final. */
  readonly transferTo: (address: string) => Promise<string>
}

const openTransfers = ({ node }: YearService): Making['transferTo'] => {
  const transfer = async (address: string): Promise<string> => {
    const before = await node.call('eth_blockNumber')
    await node.pay([address], DUE)
    await node.mine(1)
    const block = (await node.call('eth_getBlockByNumber', 'latest', false)) as { transactions: readonly string[] }
    if (block.transactions.length !== 1) throw new Error(`no transfer after block ${before}`)
    await node.mine(CONFIRMED)
    return block.transactions[0] ?? ''
  }
  let last: Promise<unknown> = Promise.resolve()
  // One after the other, each in a block of its own.
  return address => {
    const next = last.then(() => transfer(address))
    last = next
    return next
  }
}

const makeExample = async (making: Making, name: ExampleName, link: string): Promise<string> => {
  const { service, sql, calls, merchant, transferTo } = making
  const opened = await openCalls(service.url)('POST', `/v1/checkout/links/${encodeId('plink', link)}/payments`, {
    ...{ customerEmail: EMAIL(name), customerName: 'Ada Example' },
    ...ASSET,
  })
  const id = opened.text('payment.id')
  const payment = decodeId('pay', id) ?? ''
  const ours = `/v1/merchants/${encodeId('mer', merchant)}`
  const post = (path: string, body: Record<string, unknown>) =>
    calls('POST', ours + path, body, { 'idempotency-key': randomUUID() })
  const hasState = (table: string, key: string, state: string) =>
    until(async () => (await sql`select from ${sql(table)} where id = ${key} and state = ${state}`).length > 0, {
      timeoutMs: 30_000,
      what: `${name}: ${table} that are ${state}`,
    })
  const pay = async () => {
    await transferTo(opened.text('payment.crypto.address'))
    await hasState('payments', payment, 'success')
  }

  if (name === 'expired' || name === 'waiting') return payment
  if (name === 'canceled' || name === 'late' || name === 'attention')
    await calls('POST', `${ours}/payments/${id}/cancel`)
  if (name === 'attention') {
    await transferTo(opened.text('payment.crypto.address'))
    await until(async () => (await sql`select from payments where id = ${payment} and attention`).length > 0)
  } else if (name !== 'canceled') await pay()
  if (name === 'refunded' || name === 'refundToSign') {
    const refund = (await post(`/payments/${id}/refunds`, { destination: DESTINATION })).text('id')
    if (name === 'refunded') {
      await calls('POST', `${ours}/refunds/${refund}/transaction`, { txHash: await transferTo(DESTINATION) })
      await hasState('refunds', decodeId('re', refund) ?? '', 'processed')
    }
  }
  if (name === 'disputed') {
    const dispute = (await post(`/payments/${id}/disputes`, { reason: 'general' })).text('id')
    await post(`/disputes/${dispute}/evidence`, { uncategorizedText: 'It was delivered.', submit: true })
    await post(`/disputes/${dispute}/resolve`, { outcome: 'won' })
  }
  await until(() => isIdle(sql), { timeoutMs: 30_000, what: `${name}: a service without work` })
  return payment
}

/** The address to which the examples are refunded, and the customer of each. Copies have others. */
export const DESTINATION = `0x${'5'.repeat(40)}`
export const EMAIL = (name: ExampleName) => `${name.toLowerCase()}@example.com`

const DUE = BigInt(AMOUNT_MINOR) * 10n ** 4n

const isIdle = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ idle: boolean }[]>`
    select not exists (select from unsettled_payments where reported_rev is null) and not exists (select from delivery_claims)
      and not exists (select from deliveries where state in ('pending', 'sending')) as idle`
  return row?.idle === true
}

/** The end of a window takes longer than an example: it is dispatched. */
const expire = async (url: string, made: readonly Example[]): Promise<void> => {
  const { actors, close } = await openInstance(url, { kinds })
  try {
    const payment = made.find(({ name }) => name === 'expired')?.payment ?? ''
    const event = { type: 'window_over', scannedTo: new Date(Date.now() + 3_600_000) }
    const outcome = await actors.dispatch({ kind: 'payment', actor: payment, event, cause: `chain:${ASSET.chainId}` })
    if (!outcome.ok) throw new Error(`the payment is ${outcome.actor?.state} and does not expire`)
  } finally {
    await actors.idle()
    await close()
  }
}

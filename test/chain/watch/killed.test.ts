import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { blockStatement } from './block-statement.ts'
import { issueAddress } from './ledger.ts'
import { testChain } from './test-node.ts'
import { startWatching } from './watcher.ts'

const KILLS = 10
/** So many payments that they are handled in two parallel commits. */
const MANY = 40

const opened = async (server: ApiServer, merchantId: string, token: string): Promise<MadePayment> => {
  const payment = await makePayment(server.api, { merchantId, livemode: false }, '')
  const pick = { address: payment.address, tokenAddress: token }
  await happen(server.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await issueAddress(server.sql, payment)
  return payment
}

test(`a watcher killed ${KILLS} times loses no transfer and counts none twice`, async () => {
  await using server = await apiServer({ routes: [] })
  await using chain = await testChain()
  const merchantId = await insertMerchant(server.sql)
  const many = await Promise.all(Array.from({ length: 60 }, () => opened(server, merchantId, chain.token)))
  const waiting = [...many]

  let watcher = await startWatching(server.databaseUrl, chain)
  await until(async () => (await server.sql`select from chain_cursors`).length === 1)
  for (let kills = 0; kills < KILLS; kills++) {
    for (const payment of waiting.splice(0, 6)) {
      await chain.pay(payment.address, 1000n)
      await chain.mine()
    }
    // At any point between reading a block and updating its payments.
    await Bun.sleep(5 + kills * 9)
    await watcher.kill()
    watcher = await startWatching(server.databaseUrl, chain)
  }
  await chain.mine(3)
  await until(async () => (await server.sql`select from payments where state = 'success'`).length === 60, {
    timeoutMs: 20_000,
  })
  await watcher.kill()
  const events = await server.sql<{ type: string; count: number }[]>`
    select type, count(*)::integer as count from events group by type order by type`
  expect(events.map(({ type, count }) => `${type} ${count}`)).toEqual([
    'payment.created 60',
    'payment.processing 60',
    'payment.succeeded 60',
  ])
  expect(await audit(server.sql, kinds)).toEqual([])
}, 90_000)

/** What is left when a process was killed: recorded transfers, updated payments, and unsettled payments. */
type Left = { readonly recorded: number; readonly updated: 'none' | 'some' | 'all'; readonly unsettled: number }

/** The last statement of recording and of finalizing blocks. */
const recording = () => 'before insert on unsettled_payments for each statement'
const updating = () => 'before update on payments for each statement'
const updatingOne = (payment: string) => `before update on payments for each row when (new.id = '${payment}')`
const deleting = () => 'before delete on unsettled_payments for each statement'

const nothing: Left = { recorded: 0, updated: 'none', unsettled: 0 }
const recorded: Left = { recorded: MANY, updated: 'none', unsettled: MANY }
const someUpdated: Left = { ...recorded, updated: 'some' }
const allUpdated: Left = { ...recorded, updated: 'all' }

test.each<[string, 'seen' | 'final', (last: string) => string, Left]>([
  ['blocks were read and not recorded', 'seen', recording, nothing],
  ['blocks are recorded and no payment is updated', 'seen', updating, recorded],
  ['some payments are updated with seen transfers and others not', 'seen', updatingOne, someUpdated],
  ['all payments are updated with seen transfers and still marked as unsettled', 'seen', deleting, allUpdated],
  ['nodes agree on finality and it is not recorded', 'final', recording, nothing],
  ['finality is recorded and no payment is updated', 'final', updating, recorded],
  ['some payments are updated with final transfers and others not', 'final', updatingOne, someUpdated],
  ['all payments are updated with final transfers and still marked as unsettled', 'final', deleting, allUpdated],
])('a watcher killed when %s loses no transfer and applies none twice', async (_, stage, statement, left) => {
  await using server = await apiServer({ routes: [] })
  await using chain = await testChain()
  const { sql, databaseUrl } = server
  const merchantId = await insertMerchant(sql)
  const many = await Promise.all(Array.from({ length: MANY }, () => opened(server, merchantId, chain.token)))
  const [last = ''] = many.map(({ actor }) => actor).toSorted((a, b) => (a < b ? 1 : -1))
  const head = Number(await chain.rpc<string>('eth_blockNumber'))
  const isReadTo = async (number: number) =>
    (await sql`select from chain_cursors where number = ${number}`).length === 1
  const count = async (what: string) =>
    (await sql.unsafe<{ count: number }[]>(`select count(*)::integer as count from ${what}`))[0]?.count
  const areAll = (state: string) => until(async () => (await count(`payments where state = '${state}'`)) === MANY)
  const updated = `payments where state = '${stage === 'seen' ? 'processing' : 'success'}'`
  const payAll = async () => {
    for (const payment of many) await chain.pay(payment.address, 1000n)
    await chain.mine()
  }

  await using watcher = await startWatching(databaseUrl, chain)
  await until(() => isReadTo(head))
  if (stage === 'final') {
    await payAll()
    await areAll('processing')
    await until(async () => (await count('unsettled_payments')) === 0)
  }
  {
    await using block = await blockStatement(databaseUrl, statement(last))
    if (stage === 'seen') await payAll()
    else await chain.mine(2)
    await block.isBlocking()
    if (left.updated === 'some') await until(async () => Number(await count(updated)) > 0)
    await watcher.kill()
    await block.endSessions()
  }
  expect(await count(`transfers where state = '${stage}'`)).toBe(left.recorded)
  expect(await count('unsettled_payments')).toBe(left.unsettled)
  const updatedCount = Number(await count(updated))
  expect(updatedCount === 0 ? 'none' : updatedCount === MANY ? 'all' : 'some').toBe(left.updated)

  // No new block arrives that would repeat the lost work.
  await using other = await startWatching(databaseUrl, chain)
  await until(async () => (await count('unsettled_payments')) === 0)
  await areAll(stage === 'seen' ? 'processing' : 'success')
  if (stage === 'seen') await chain.mine(2)
  await areAll('success')
  await other.kill()
  expect(await count('payments where amount_received = 1000 and amount_final = 1000')).toBe(MANY)
  for (const type of ['created', 'processing', 'succeeded'])
    expect(await count(`events where type = 'payment.${type}'`)).toBe(MANY)
  expect(await audit(sql, kinds)).toEqual([])
})

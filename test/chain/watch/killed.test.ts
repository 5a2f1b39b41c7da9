import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { giveOut } from './ledger.ts'
import { testChain } from './node.ts'
import { trap } from './trap.ts'
import { startWatching } from './watcher.ts'

const KILLS = 10
/** So many that payments are told in two commits at once. */
const MANY = 40

const opened = async (house: ApiServer, merchantId: string, token: string): Promise<MadePayment> => {
  const payment = await makePayment(house.api, { merchantId, livemode: false }, '')
  const pick = { address: payment.address, tokenAddress: token }
  await happen(house.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await giveOut(house.sql, payment)
  return payment
}

test(`a watcher killed ${KILLS} times in the middle loses no transfer and counts none twice`, async () => {
  await using house = await apiServer({ routes: [] })
  await using chain = await testChain()
  const merchantId = await insertMerchant(house.sql)
  const many = await Promise.all(Array.from({ length: 60 }, () => opened(house, merchantId, chain.token)))
  const waiting = [...many]

  let watcher = await startWatching(house.databaseUrl, chain)
  await until(async () => (await house.sql`select from chain_cursors`).length === 1)
  for (let kills = 0; kills < KILLS; kills++) {
    for (const payment of waiting.splice(0, 6)) {
      await chain.pay(payment.address, 1000n)
      await chain.mine()
    }
    // Anywhere between finding a block and telling its payments.
    await Bun.sleep(5 + kills * 9)
    await watcher.kill()
    watcher = await startWatching(house.databaseUrl, chain)
  }
  await chain.mine(3)
  await until(async () => (await house.sql`select from payments where state = 'success'`).length === 60, {
    timeoutMs: 20_000,
  })
  await watcher.kill()
  const told = await house.sql<{ type: string; count: number }[]>`
    select type, count(*)::integer as count from events group by type order by type`
  expect(told.map(({ type, count }) => `${type} ${count}`)).toEqual([
    'payment.created 60',
    'payment.processing 60',
    'payment.succeeded 60',
  ])
  expect(await audit(house.sql, kinds)).toEqual([])
}, 90_000)

/** What is to be found when a process was killed: transfers written down, payments told, and those still to be told. */
type Left = { readonly written: number; readonly told: 'none' | 'some' | 'all'; readonly toTell: number }

/** Blocks are recorded, and made final, with this as the last thing that is done. */
const writing = () => 'before insert on unsettled_payments for each statement'
const telling = () => 'before update on payments for each statement'
const tellingOne = (payment: string) => `before update on payments for each row when (new.id = '${payment}')`
const forgetting = () => 'before delete on unsettled_payments for each statement'

const nothing: Left = { written: 0, told: 'none', toTell: 0 }
const written: Left = { written: MANY, told: 'none', toTell: MANY }
const someTold: Left = { ...written, told: 'some' }
const allTold: Left = { ...written, told: 'all' }

test.each<[string, 'seen' | 'final', (last: string) => string, Left]>([
  ['blocks were read and are not recorded', 'seen', writing, nothing],
  ['blocks are recorded and no payment is told', 'seen', telling, written],
  ['some payments are told what was seen and others not', 'seen', tellingOne, someTold],
  ['all payments are told what was seen and that is not forgotten', 'seen', forgetting, allTold],
  ['nodes have agreed on what is final and it is not written', 'final', writing, nothing],
  ['what is final is written and no payment is told', 'final', telling, written],
  ['some payments are told what is final and others not', 'final', tellingOne, someTold],
  ['all payments are told what is final and that is not forgotten', 'final', forgetting, allTold],
])('a watcher killed when %s leaves nothing to be lost, and tells nothing twice', async (_, stage, statement, left) => {
  await using house = await apiServer({ routes: [] })
  await using chain = await testChain()
  const { sql, databaseUrl } = house
  const merchantId = await insertMerchant(sql)
  const many = await Promise.all(Array.from({ length: MANY }, () => opened(house, merchantId, chain.token)))
  const [last = ''] = many.map(({ actor }) => actor).toSorted((a, b) => (a < b ? 1 : -1))
  const head = Number(await chain.rpc<string>('eth_blockNumber'))
  const isReadTo = async (number: number) =>
    (await sql`select from chain_cursors where number = ${number}`).length === 1
  const count = async (what: string) =>
    (await sql.unsafe<{ count: number }[]>(`select count(*)::integer as count from ${what}`))[0]?.count
  const areAll = (state: string) => until(async () => (await count(`payments where state = '${state}'`)) === MANY)
  const told = `payments where state = '${stage === 'seen' ? 'processing' : 'success'}'`
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
    await using trapped = await trap(databaseUrl, statement(last))
    if (stage === 'seen') await payAll()
    else await chain.mine(2)
    await trapped.sprung()
    if (left.told === 'some') await until(async () => Number(await count(told)) > 0)
    await watcher.kill()
    await trapped.undo()
  }
  expect(await count(`transfers where state = '${stage}'`)).toBe(left.written)
  expect(await count('unsettled_payments')).toBe(left.toTell)
  const wereTold = Number(await count(told))
  expect(wereTold === 0 ? 'none' : wereTold === MANY ? 'all' : 'some').toBe(left.told)

  // No block comes that would bring up again what was lost.
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

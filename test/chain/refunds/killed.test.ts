import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { startWatching } from '../watch/watcher.ts'
import { CONFIRMATIONS, customer, refundHouse } from './refund-house.ts'

const KILLS = 8
const EACH = 4

test(`a watcher that is killed ${KILLS} times in the middle judges each refund once`, async () => {
  await using house = await apiServer({ routes: [] })
  await using on = await refundHouse(house)
  const { chain } = on
  const refunds = await Promise.all(Array.from({ length: KILLS * EACH }, () => on.made()))

  let watcher = await startWatching(house.databaseUrl, chain, CONFIRMATIONS)
  for (let kills = 0; kills < KILLS; kills++) {
    for (const [n, refund] of refunds.slice(kills * EACH, (kills + 1) * EACH).entries()) {
      const txHash = n === 0 ? await on.send({ data: '0x5f5ffd' }) : await chain.pay(customer, 1000n)
      await on.happen(refund, { type: 'transaction_sent', txHash })
    }
    await chain.mine(CONFIRMATIONS)
    // Anywhere between finding that a transaction is final and telling its refund.
    await Bun.sleep(10 + kills * 9)
    await watcher.kill()
    watcher = await startWatching(house.databaseUrl, chain, CONFIRMATIONS)
  }
  await using _ = watcher
  await until(async () => (await house.sql`select from refunds where state = 'processing'`).length === 0, {
    timeoutMs: 30_000,
  })
  await watcher.kill()
  const told = await house.sql<{ type: string; count: number }[]>`
    select type, count(*)::integer as count from events where kind = 'refund' group by type order by type`
  expect(told.map(({ type, count }) => `${type} ${count}`)).toEqual([
    `refund.failed ${KILLS}`,
    `refund.processed ${KILLS * (EACH - 1)}`,
  ])
  const [books] = await house.sql`
    select sum(refunds_reserved_minor)::int as reserved, sum(amount_refunded_minor)::int as refunded from payments`
  const refunded = KILLS * (EACH - 1) * 1000
  expect(books).toMatchObject({ reserved: refunded, refunded })
  expect(await audit(house.sql, kinds)).toEqual([])
}, 90_000)

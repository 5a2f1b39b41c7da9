import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { startWatching } from '../watch/watcher.ts'
import { CONFIRMATIONS, customer, openRefundFixture } from './refund-fixture.ts'

const KILLS = 8
const EACH = 4

test(`a worker killed ${KILLS} times decides each refund once`, async () => {
  await using server = await apiServer({ routes: [] })
  await using fixture = await openRefundFixture(server)
  const { chain } = fixture
  const refunds = await Promise.all(Array.from({ length: KILLS * EACH }, () => fixture.createRefund()))

  let watcher = await startWatching(server.databaseUrl, chain, CONFIRMATIONS)
  for (let kills = 0; kills < KILLS; kills++) {
    for (const [n, refund] of refunds.slice(kills * EACH, (kills + 1) * EACH).entries()) {
      const txHash = n === 0 ? await fixture.send({ data: '0x5f5ffd' }) : await chain.pay(customer, 1000n)
      await fixture.apply(refund, { type: 'transaction_sent', txHash })
    }
    await chain.mine(CONFIRMATIONS)
    // At any point between finding a final transaction and updating its refund.
    await Bun.sleep(10 + kills * 9)
    await watcher.kill()
    watcher = await startWatching(server.databaseUrl, chain, CONFIRMATIONS)
  }
  await using _ = watcher
  await until(async () => (await server.sql`select from refunds where state = 'processing'`).length === 0, {
    timeoutMs: 30_000,
  })
  await watcher.kill()
  const events = await server.sql<{ type: string; count: number }[]>`
    select type, count(*)::integer as count from events where kind = 'refund' group by type order by type`
  expect(events.map(({ type, count }) => `${type} ${count}`)).toEqual([
    `refund.failed ${KILLS}`,
    `refund.processed ${KILLS * (EACH - 1)}`,
  ])
  const [sums] = await server.sql`
    select sum(refunds_reserved_minor)::int as reserved, sum(amount_refunded_minor)::int as refunded from payments`
  const refunded = KILLS * (EACH - 1) * 1000
  expect(sums).toMatchObject({ reserved: refunded, refunded })
  expect(await audit(server.sql, kinds)).toEqual([])
}, 90_000)

import { expect, test } from 'bun:test'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { change } from './endpoints.ts'
import { receiver } from './receiver.ts'
import { attemptsOf, reaches, sendingInstance } from './sending-instance.ts'

test('an endpoint that is disabled between the claim and the reading of its row receives nothing', async () => {
  await using instance = await sendingInstance()
  await using shop = await receiver()
  const [lockHolder, owner] = [connect(instance.url, { max: 1 }), connect(instance.url, { max: 1 })]
  /** A session that has locked one table and waits for the other blocks only the sender's claim. */
  const waitsFor = async (table: string, { has }: { readonly has: string }) =>
    (
      await instance.sql`
        select from pg_locks waiting join pg_locks held using (pid, database)
        where not waiting.granted and waiting.relation = ${table}::regclass
          and held.granted and held.relation = ${has}::regclass
          and database = (select oid from pg_database where datname = current_database())`
    ).length > 0
  const endpoint = await instance.addEndpoint(shop.url)
  const sender = instance.startSender({ pollMs: 60_000, sweepMs: 60_000, reapMs: 60_000 })

  // The claim waits for the holder and the owner waits for the claim, so the sender reads the endpoint after the owner's change.
  await lockHolder`begin`
  await lockHolder`lock table delivery_claims in share mode`
  // Not earlier: the sender's first poll may come late and find the delivery.
  await instance.insertEvents(endpoint)
  sender.wake([endpoint])
  await until(() => waitsFor('delivery_claims', { has: 'webhook_endpoints' }))
  await owner`begin`
  // Identifies the owner among the sessions that wait.
  await owner`lock table merchants in access share mode`
  const locked = owner`lock table webhook_endpoints in access exclusive mode`.execute()
  await until(() => waitsFor('webhook_endpoints', { has: 'merchants' }))
  await lockHolder`commit`
  await locked
  expect(await change(owner, endpoint, { status: 'disabled' })).toBe('changed')
  await owner`commit`

  const { id } = await reaches(instance, endpoint, 'pending', 1)
  expect(await attemptsOf(instance, id)).toMatchObject([{ outcome: 'lost' }])
  expect(shop.seen).toHaveLength(0)
  await Promise.all([lockHolder.end(), owner.end()])
})

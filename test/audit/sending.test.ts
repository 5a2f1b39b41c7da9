import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { receiver } from '../webhooks/receiver.ts'
import { reaches, sendingInstance } from '../webhooks/sending-instance.ts'

// One delivery succeeded at the second attempt, and one is being sent; the instance is audited again at the end.
test('an instance with active senders has no findings, and each violation is found', async () => {
  await using instance = await sendingInstance()
  const { sql } = instance
  await using shop = await receiver(
    (response, seen) => void (seen < 3 && response.writeHead(seen === 1 ? 500 : 200).end()),
  )
  const endpoint = await instance.addEndpoint(shop.url)
  instance.clock.set(new Date())
  const sender = instance.startSender({ stopGraceMs: 0 })
  await instance.insertEvents(endpoint)
  await reaches(instance, endpoint, 'pending', 1)
  instance.clock.advance(6_000)
  sender.wake([endpoint])
  await reaches(instance, endpoint, 'delivered', 2)
  await instance.insertEvents(endpoint)
  await until(() => shop.seen.length === 3)
  const { id } = await reaches(instance, endpoint, 'sending', 1)
  expect(await audit(sql, kinds)).toEqual([])

  for (const [invariant, what, tampering] of [
    ['I5', 'a delivery whose counters differ', 'delete from delivery_attempts where number = 2'],
    ['I5', 'a delivery whose counters differ', `update delivery_attempts set trigger = 'manual' where number = 2`],
    ['I5', 'an open attempt', 'update delivery_attempts set outcome = null, finished_at = null where number = 1'],
    [
      'I5',
      'a delivery that is delivered without',
      `update delivery_attempts set outcome = 'http_error' where outcome = 'delivered'`,
    ],
    [
      'I5',
      'a delivery that is delivered without',
      `update deliveries set state = 'canceled', delivered_at = null where state = 'delivered'`,
    ],
    [
      'I5',
      'a failed delivery with automatic attempts left',
      `update deliveries set state = 'failed', delivered_at = null where state = 'delivered'`,
    ],
    [
      'I7',
      'an open delivery to an endpoint that is not enabled',
      `update webhook_endpoints set state = 'disabled', disabled_reason = 'by_merchant'`,
    ],
    [
      'I7',
      'an open delivery to an endpoint that is not enabled',
      `select change_webhook_endpoint(id, merchant_id, '{"status":"disabled"}', null, 'operator', null, '{}')
       from webhook_endpoints; delete from graphile_worker._private_jobs`,
    ],
    [
      'I7',
      'a delivery overdue by more than a minute',
      `update deliveries set state = 'pending', sending_since = null, next_attempt_at = now() - interval '61 s'
       where id = '${id}';
       insert into workers (id, role, host, pid, version, started_at)
       values ('worker-1', 'worker', 'here', 1, '1', now() - interval '2 min')`,
    ],
    [
      'I6',
      'a delivery with more than five automatic attempts',
      `insert into delivery_attempts select delivery_id, n, trigger, worker, started_at from delivery_attempts, generate_series(3, 7) n where number = 2`,
    ],
    [
      'I7',
      'an attempt in progress for more than a minute',
      `update deliveries set sending_since = now() - interval '2 min' where id = '${id}'`,
    ],
    ['I7', 'an attempt in progress that no worker', 'delete from delivery_claims'],
    ['I7', 'a claim of deliveries', `update delivery_claims set claimed_at = now() - interval '2 min'`],
  ] as const) {
    // Rolled back immediately, so that each violation is looked for alone.
    const others = connect(instance.url, { max: 1 })
    await others`begin`
    await others.unsafe(tampering)
    const found = await audit(others, kinds)
    expect(found.some(each => each.invariant === invariant && each.what.startsWith(what))).toBe(true)
    await others`rollback`
    await others.end()
  }
})

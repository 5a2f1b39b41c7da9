import { expect } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { until } from '../harness/until.ts'
import { receiver } from '../webhooks/receiver.ts'
import { reaches, sendingInstance } from '../webhooks/sending-instance.ts'
import { countIn, daysAgo, readFeeds, recordAudit } from './retaining.ts'

/** The ages of the deliveries in days, one of each. The last two are younger than anything that is dropped. */
export const AGES = [700, 400, 200, 100, 95, 60, 40, 20, 1]

/**
 * An endpoint with deliveries of the last two years, sent by the sender. The first attempt of each fails. One more delivery,
 * of an endpoint that never answers well, is open since two years.
 */
export const agedInstance = async () => {
  await using starting = new AsyncDisposableStack()
  const shop = starting.use(
    await receiver((response, seen) => void response.writeHead(seen % 2 === 1 ? 500 : 200).end('so')),
  )
  const instance = starting.use(await sendingInstance({ at: daysAgo(AGES[0] ?? 0) }))
  const { clock, sql } = instance
  const endpoint = await instance.addEndpoint(shop.url)
  const closed = await instance.addEndpoint(shop.url)
  await instance.insertEvents(closed)
  await sql`update deliveries set next_attempt_at = now() + interval '1 day' where endpoint_id = ${closed}`
  const sender = instance.startSender()
  for (const [n, age] of AGES.entries()) {
    clock.set(daysAgo(age))
    await instance.insertEvents(endpoint)
    sender.wake([endpoint])
    await reaches(instance, endpoint, 'pending', 1)
    clock.advance(60_000)
    sender.wake([endpoint])
    await until(async () => (await countIn(instance, 'deliveries', `state = 'delivered'`)) === n + 1)
  }
  await sender.stop()
  clock.set(new Date())
  await readFeeds(instance)
  await recordAudit(instance, 'clean')
  expect(await audit(sql, kinds)).toEqual([])
  const rest = starting.move()
  return { ...instance, endpoint, closed, [Symbol.asyncDispose]: () => rest.disposeAsync() }
}

/** Attempts whose response is kept. */
export const bodies = `(response_snippet is not null or response_headers is not null)`

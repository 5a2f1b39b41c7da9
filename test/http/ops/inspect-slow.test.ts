import { expect, test } from 'bun:test'
import { routes } from '../../../src/http/routes.ts'
import { apiServer } from '../../harness/api.ts'
import { readableLog } from '../../harness/lines.ts'
import { until } from '../../harness/until.ts'
import { openPayment } from '../payments.ts'
import { operator, shop } from '../people.ts'
import { openSocket, stalledSocket } from './inspecting.ts'

test('a client that does not read is closed with 1013 when it is 1,000 messages behind, and others are not', async () => {
  const logged = readableLog()
  await using server = await apiServer({ routes, outside: { log: logged.log } })
  const { bearer } = await operator(server.api)
  const own = await shop(server.api)
  const { id, actor } = await openPayment(server.api, { merchantId: own.merchantId, livemode: false })
  const reading = await openSocket(server, bearer, '&kind=refund')
  const slow = await stalledSocket(server, bearer, `&actor=${id}`)
  const { sql } = server
  const counted = async () => Number((await sql`select count(*) from transitions`)[0]?.count)
  const before = await counted()
  // Large enough that the buffers of the operating system are full after some of them.
  const insert = (from: number) => sql`
    insert into transitions (actor, command, at, actor_created_at, era, rev, keyed, kind, event, from_state, to_state, context)
    select ${actor}, gen_random_uuid(), now(), now(), current_era(), n, false, 'payment', 'x', 'pending', 'pending',
      json_build_object('filler', repeat('x', 20000))
    from generate_series(${from}::integer, ${from}::integer + 999) n`
  for (let from = 3; from < 4_003; from += 1_000) await insert(from)
  expect(await counted()).toBe(before + 4_000)
  const closed = () => logged.lines().find(({ msg }) => msg === 'slow inspector client closed')
  expect(Number((await until(closed)).behind)).toBeGreaterThanOrEqual(1_000)
  expect(await slow.closeCode()).toBe(1013)
  expect(reading.socket.readyState).toBe(WebSocket.OPEN)
  reading.socket.close()
})

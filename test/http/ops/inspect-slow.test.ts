import { expect, test } from 'bun:test'
import { routes } from '../../../src/http/routes.ts'
import { apiServer } from '../../harness/api.ts'
import { readableLog } from '../../harness/lines.ts'
import { until } from '../../harness/until.ts'
import { openPayment } from '../payments.ts'
import { operator, shop } from '../people.ts'
import { insertLargeTransitions, openSocket, stalledSocket } from './inspecting.ts'

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
  await insertLargeTransitions(sql, { actor, kind: 'payment', state: 'pending' })
  expect(await counted()).toBe(before + 4_000)
  const closed = () => logged.lines().find(({ msg }) => msg === 'slow inspector client closed')
  expect(Number((await until(closed)).behind)).toBeGreaterThanOrEqual(1_000)
  expect(await slow.closeCode()).toBe(1013)
  expect(reading.socket.readyState).toBe(WebSocket.OPEN)
  reading.socket.close()
})

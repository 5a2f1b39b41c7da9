import { expect, test } from 'bun:test'
import { createServer } from 'node:http'
import process from 'node:process'
import { until } from '../harness/until.ts'
import { sendingInstance } from './sending-instance.ts'

// With the events of a busy day: `OUTAGE=full bun test --timeout 900000 test/webhooks/failing-tenth.test.ts`.
const isFull = process.env.OUTAGE === 'full'
const [EVENTS, LONG_MS] = isFull ? [100_000, 900_000] : [1_000, 120_000]
const ENDPOINTS = 20
const EACH = EVENTS / ENDPOINTS
const WAITS_MS = [5_000, 60_000, 720_000, 7_200_000]

/** Counts requests by endpoint and event. The first two endpoints fail: one always, the other twice per event. */
const receivers = async () => {
  const seen = Array.from({ length: ENDPOINTS }, () => new Map<string, number>())
  const statusOf = (index: number, times: number) => (index === 0 || (index === 1 && times <= 2) ? 500 : 200)
  const server = createServer((request, response) => {
    const index = Number(request.url?.slice(1))
    const counts = seen[index] ?? expect.unreachable()
    const id = String(request.headers['webhook-id'])
    const times = (counts.get(id) ?? 0) + 1
    counts.set(id, times)
    request.resume().on('end', () => response.writeHead(statusOf(index, times)).end())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    seen,
    urlOf: (index: number) => `http://127.0.0.1:${port}/${index}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

test(
  `of ${EVENTS} events, with a tenth of the receivers failing, none is lost and none is sent too often`,
  async () => {
    await using shops = await receivers()
    await using instance = await sendingInstance()
    const { sql } = instance
    const endpoints: string[] = []
    while (endpoints.length < ENDPOINTS) endpoints.push(await instance.addEndpoint(shops.urlOf(endpoints.length)))
    const senders = [instance.startSender(), instance.startSender()]
    for (const endpoint of endpoints) await instance.insertEvents(endpoint, EACH)

    /** Waits until nothing is due or in progress. */
    const rested = () =>
      until(
        async () => {
          const [row] = await sql<{ open: number }[]>`
            select count(*)::integer as open from deliveries
            where state = 'sending' or state = 'pending' and next_attempt_at <= ${instance.clock.now()}`
          return row?.open === 0
        },
        { timeoutMs: LONG_MS, everyMs: 100 },
      )
    await rested()
    for (const waitMs of WAITS_MS) {
      instance.clock.advance(1.2 * waitMs + 1_000)
      for (const sender of senders) sender.wake()
      await rested()
    }

    const rows = await sql`
      select endpoint_id as endpoint, state, attempts, count(*)::integer from deliveries group by 1, 2, 3`
    const received = endpoints.map((endpoint, index) => {
      const [state, attempts] = index === 0 ? ['failed', 5] : ['delivered', index === 1 ? 3 : 1]
      return { endpoint, state, attempts, count: EACH }
    })
    expect(rows.map(row => ({ ...row })).toSorted(byEndpoint)).toEqual(received.toSorted(byEndpoint))
    // What the receivers got: exactly their events, as often as they were attempted.
    for (const [index, counts] of shops.seen.entries()) {
      const events = await sql<{ id: string }[]>`
        select event_id as id from deliveries where endpoint_id = ${endpoints[index] ?? ''}`
      const times = received[index]?.attempts
      expect(counts.size).toBe(EACH)
      expect(events.filter(({ id }) => counts.get(id) !== times)).toEqual([])
    }
    for (const sender of senders) await sender.stop()
  },
  LONG_MS,
)

const byEndpoint = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

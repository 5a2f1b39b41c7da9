import { afterAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { until } from '../harness/until.ts'
import { checkoutServer, type Opened } from './checkouts.ts'

const { server, link, open } = await checkoutServer()
// `fetch` opens at most 256 connections per process.
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
afterAll(() => agent.destroy())

type Stream = { readonly status: number | undefined; readonly ended: boolean; leave(): void }

const stream = async ({ payment, clientSecret }: Opened, address: string): Promise<Stream> => {
  const headers = { 'client-secret': clientSecret, 'x-forwarded-for': address }
  const request = get(`${server.url}/v1/checkout/payments/${payment.id}/stream`, { agent, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  const opened = {
    status: response.statusCode,
    ended: false,
    leave: () => {
      response.on('error', () => {})
      response.destroy()
    },
  }
  response.on('end', () => {
    opened.ended = true
  })
  return opened
}

const statuses = (streams: readonly Stream[]) => streams.map(({ status }) => status)
const payments = async (count: number): Promise<readonly Opened[]> => {
  const { id } = await link()
  return Promise.all(Array.from({ length: count }, () => open(id)))
}
const leave = (streams: readonly Stream[]) => {
  for (const each of streams) each.leave()
}
/** A closed connection is released a moment later. */
const untilItOpens = (made: Opened, address: string) =>
  until(async () => {
    const again = await stream(made, address)
    again.leave()
    return again.status === 200
  })

test('the eleventh stream of a payment ends the oldest one, from any addresses', async () => {
  const [made] = (await payments(1)) as [Opened]
  const streams: Stream[] = []
  for (let n = 0; n < 12; n++) streams.push(await stream(made, `2001:db8:${n}::1`))
  expect(statuses(streams)).toEqual(streams.map(() => 200))
  await until(() => streams[0]?.ended && streams[1]?.ended)
  expect(streams.slice(2).filter(({ ended }) => ended)).toEqual([])
  leave(streams)
})

test.each([
  ['an IPv4 address', () => '198.51.100.7', '198.51.100.8'],
  ['an IPv6 /64', (n: number) => `2001:db8:ff:1::${n.toString(16)}`, '2001:db8:ff:2::1'],
])('%s can have 60 streams; the next one is answered 429', async (_, addressOf, elsewhere) => {
  const made = await payments(8)
  const streams = await Promise.all(Array.from({ length: 60 }, (_, n) => stream(made[n % 6] as Opened, addressOf(n))))
  expect(statuses(streams)).toEqual(streams.map(() => 200))
  const refused = await stream(made[6] as Opened, addressOf(60))
  const other = await stream(made[6] as Opened, elsewhere)
  expect(statuses([refused, other])).toEqual([429, 200])
  // A refused stream has not ended another one.
  expect(streams.filter(({ ended }) => ended)).toEqual([])
  // Nor is a stream refused that replaces another of the same payment.
  const eleventh = await stream(made[0] as Opened, addressOf(61))
  expect(eleventh.status).toBe(200)
  leave([...streams, other, eleventh])
  await untilItOpens(made[6] as Opened, addressOf(62))
})

test('an IPv6 /48 can have 250 streams, independently of other networks', async () => {
  const made = await payments(26)
  const addressOf = (n: number) => `2001:db8:aaaa:${n.toString(16)}::1`
  const streams = await Promise.all(Array.from({ length: 250 }, (_, n) => stream(made[n % 25] as Opened, addressOf(n))))
  expect(statuses(streams)).toEqual(streams.map(() => 200))
  const others = await Promise.all(
    [addressOf(251), '2001:db8:aaab::1', '198.51.100.9'].map(address => stream(made[25] as Opened, address)),
  )
  expect(statuses(others)).toEqual([429, 200, 200])
  leave([...streams, ...others])
  await untilItOpens(made[25] as Opened, addressOf(252))
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { parseEnv } from '../../src/env.ts'
import { openPoster, type PostOutcome } from '../../src/webhooks/post.ts'
import { cert } from './certificate.ts'
import { answer, type RawReceiver, rawReceiver } from './raw-receiver.ts'

/** The addresses of a name, or a URL without a name. Only 127.0.0.1 is allowed, where a healthy receiver listens. */
const forbidden = [
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.2', '169.254.169.254', '172.16.0.1', '192.0.2.1', '192.168.0.1'],
  ...['198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', 'fd00::1'],
  ...['fe80::1', '2001:db8::1', '2002:a00:1::', '3fff::1', '5f00::1', 'ff02::1', '127.0.0.1 10.0.0.1'],
  ...['https://0xa9fea9fe/', 'https://2852039166/', 'https://0251.0376.0251.0376/', 'https://[::ffff:a9fe:a9fe]/'],
  ...['https://me@127.0.0.1/', 'http://localhost/'],
]
const HEALTHY = 200

const open = new AsyncDisposableStack()
afterAll(() => open.disposeAsync())
const outcomes = new Map<string, { readonly outcome: PostOutcome; readonly healthy: number }>()
let healthy: RawReceiver | undefined

beforeAll(async () => {
  const own = open.use(await rawReceiver({ request: socket => socket.write(answer(200, 'ok')) }))
  healthy = own
  const led = (name: string) => forbidden[Number(/^to-(\d+)\./.exec(name)?.[1])]?.split(' ') ?? ['127.0.0.1']
  const rules = parseEnv({ WEBHOOK_ALLOW: '127.0.0.1/32' }).webhooks
  const poster = openPoster({ rules, ca: cert, resolve: async name => led(name) })
  open.defer(() => poster.close())
  const post = (url: string) => poster.post({ url, livemode: true, headers: {}, body: '{"id":"1"}' })
  for (const [index, each] of forbidden.entries()) {
    const call = post(each.includes('/') ? each : `https://to-${index}.receiver.test:${own.port}/forbidden`)
    let delivered = 0
    for (let sent = 0; sent < HEALTHY; sent += 50) {
      const some = await Promise.all(Array.from({ length: 50 }, () => post(`https://receiver.test:${own.port}/`)))
      delivered += some.filter(({ outcome }) => outcome === 'delivered').length
    }
    outcomes.set(each, { outcome: await call, healthy: delivered })
  }
}, 60_000)

test.each(forbidden)('%s is not called, and 200 other deliveries are made', each => {
  expect(outcomes.get(each)).toMatchObject({
    outcome: { outcome: 'forbidden_address', httpStatus: null, responseSnippet: null },
    healthy: HEALTHY,
  })
})

test('only the healthy receiver got requests', () => {
  expect(healthy?.requests.length).toBe(HEALTHY * forbidden.length)
  expect(healthy?.requests.filter(request => request.includes('/forbidden'))).toEqual([])
})

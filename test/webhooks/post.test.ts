import { expect, test } from 'bun:test'
import { parseEnv } from '../../src/env.ts'
import { openPoster, type PosterOptions } from '../../src/webhooks/post.ts'
import { until } from '../harness/until.ts'
import { cert } from './certificate.ts'
import { answer, closedPort, rawReceiver } from './raw-receiver.ts'

const usual = parseEnv({}).webhooks
const opened = parseEnv({ WEBHOOK_ALLOW: '127.0.0.0/8,::1' }).webhooks

/** By default, names resolve to loopback, which is allowed, and the certificate of the tests is trusted. */
const poster = (options: Partial<PosterOptions> & { readonly trusting?: boolean } = {}) => {
  const { trusting = true, ...further } = options
  const usually = { rules: opened, resolve: async () => ['127.0.0.1'], ...(trusting && { ca: cert }) }
  const { post, close } = openPoster({ ...usually, ...further })
  return {
    post: (url: string, { livemode = true, headers = {}, body = '{}' as string | Uint8Array } = {}) =>
      post({ url, livemode, headers, body }),
    close,
    [Symbol.dispose]: close,
  }
}

const thanks = { request: (socket: { write(text: string): unknown }) => void socket.write(answer(200, 'ok')) }

test('a request has the body and the headers, with the name of the receiver', async () => {
  await using receiver = await rawReceiver(thanks)
  using out = poster()
  const headers = { 'Service-Signature': 't=1,v1=00' }
  const url = `https://Shop.Receiver.Test:${receiver.port}/hooks?a=b%20c#d`
  for (const body of ['{"title":"Käse"}', Buffer.from('{"title":"Käse"}')])
    expect(await out.post(url, { headers, body })).toMatchObject({
      outcome: 'delivered',
      httpStatus: 200,
      responseSnippet: 'ok',
    })
  const [head, body] = receiver.requests[0]?.split('\r\n\r\n') ?? []
  expect(receiver.requests[1]).toBe(receiver.requests[0] ?? '')
  expect(Buffer.from(body ?? '', 'latin1').toString()).toBe('{"title":"Käse"}')
  expect(head?.split('\r\n').toSorted()).toEqual([
    'Connection: keep-alive',
    'Content-Length: 17',
    'Content-Type: application/json',
    `Host: shop.receiver.test:${receiver.port}`,
    'POST /hooks?a=b%20c HTTP/1.1',
    'Service-Signature: t=1,v1=00',
    'User-Agent: paymachine',
  ])
})

test('any 2xx delivers, 3xx is a redirect, anything else is an error', async () => {
  await using receiver = await rawReceiver({
    request: (socket, request) => void socket.write(answer(Number(/\/(\d+) /.exec(request)?.[1]))),
  })
  using out = poster()
  const wanted = (status: number) => (status < 300 ? 'delivered' : status < 400 ? 'redirect' : 'http_error')
  for (let status = 200; status < 600; status++)
    expect(await out.post(`https://a.receiver.test:${receiver.port}/${status}`)).toMatchObject({
      outcome: wanted(status),
      httpStatus: status,
    })
  expect(receiver.connections.made).toBeLessThan(40)
})

test('a redirect is not followed', async () => {
  await using elsewhere = await rawReceiver(thanks)
  const location = `location: https://b.receiver.test:${elsewhere.port}/\r\n`
  await using receiver = await rawReceiver({
    request: (socket, request) => void socket.write(answer(Number(/\/(\d+) /.exec(request)?.[1]), 'there', location)),
  })
  using out = poster()
  for (const status of [300, 301, 302, 303, 304, 305, 307, 308, 399])
    expect((await out.post(`https://a.receiver.test:${receiver.port}/${status}`)).outcome).toBe('redirect')
  expect(elsewhere.connections.made).toBe(0)
})

test('the Retry-After of an error is returned', async () => {
  await using receiver = await rawReceiver({
    request: (socket, request) =>
      void socket.write(
        answer(request.startsWith('POST /ok') ? 200 : 503, '', 'retry-after: Fri, 20 Nov 2026 12:01:00 GMT\r\n'),
      ),
  })
  using out = poster({ now: () => new Date('2026-11-20T12:00:00.500Z') })
  expect((await out.post(`https://a.receiver.test:${receiver.port}/`)).retryAfterSeconds).toBe(60)
  expect((await out.post(`https://a.receiver.test:${receiver.port}/ok`)).retryAfterSeconds).toBeNull()
})

test('connections are reused, as many as there were simultaneous requests', async () => {
  await using receiver = await rawReceiver(thanks)
  using out = poster()
  const url = `https://a.receiver.test:${receiver.port}/`
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 30 }, () => out.post(url)))
    expect(answers.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 30 }, () => 'delivered' as const))
  }
  expect(receiver.requests.length).toBe(150)
  expect(receiver.connections.made).toBeLessThan(60)
})

test('16 KiB of a response are read; the connection of a longer one is closed', async () => {
  await using receiver = await rawReceiver({
    request: (socket, request) => void socket.write(answer(200, 'x'.repeat(Number(/\/(\d+) /.exec(request)?.[1])))),
  })
  using out = poster()
  const post = (bytes: number) => out.post(`https://a.receiver.test:${receiver.port}/${bytes}`)
  const delivered = { outcome: 'delivered', responseSnippet: 'x'.repeat(1_000) }
  for (const bytes of [16_384, 16_384, 16_385]) expect(await post(bytes)).toMatchObject(delivered)
  expect(receiver.connections.made).toBe(1)
  // A response that was read to its end would leave its connection open.
  expect(await post(16_384)).toMatchObject(delivered)
  expect(receiver.connections.made).toBe(2)
})

test('a connection is used only for the name for which it was made', async () => {
  await using receiver = await rawReceiver(thanks)
  using out = poster()
  expect((await out.post(`https://a.receiver.test:${receiver.port}/`)).outcome).toBe('delivered')
  expect((await out.post(`https://b.receiver.test:${receiver.port}/`)).outcome).toBe('delivered')
  expect(receiver.connections.made).toBe(2)
  // The other name has the same address, but the certificate lacks it.
  expect((await out.post(`https://a.b.receiver.test:${receiver.port}/`)).outcome).toBe('tls_failed')
  expect((await out.post(`https://other.test:${receiver.port}/`)).outcome).toBe('tls_failed')
  expect((await out.post(`https://127.0.0.1:${receiver.port}/`)).outcome).toBe('delivered')
  expect((await out.post(`https://127.0.0.2:${receiver.port}/`)).outcome).not.toBe('delivered')
  expect(receiver.requests.length).toBe(3)
})

test('an untrusted certificate is refused, whatever the environment variables say', async () => {
  await using receiver = await rawReceiver(thanks)
  using out = poster({ trusting: false })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  try {
    expect((await out.post(`https://a.receiver.test:${receiver.port}/`)).outcome).toBe('tls_failed')
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  }
  expect(receiver.requests.length).toBe(0)
})

test('a kept connection that the receiver has closed is replaced', async () => {
  await using receiver = await rawReceiver({ request: socket => void socket.write(answer(200), () => socket.end()) })
  using out = poster()
  for (let sent = 1; sent <= 3; sent++) {
    expect((await out.post(`https://a.receiver.test:${receiver.port}/`)).outcome).toBe('delivered')
    await until(() => receiver.connections.open === 0)
  }
  expect(receiver.connections.made).toBe(3)
})

test('when a kept connection dies during the next request, the attempt fails and nothing is sent again', async () => {
  const seen = new Set<unknown>()
  await using receiver = await rawReceiver({
    request: socket => {
      if (seen.has(socket)) socket.destroy()
      else socket.write(answer(200))
      seen.add(socket)
    },
  })
  using out = poster()
  const url = `https://a.receiver.test:${receiver.port}/`
  expect((await out.post(url)).outcome).toBe('delivered')
  expect((await out.post(url)).outcome).toBe('connection_failed')
  expect(receiver.requests.length).toBe(2)
  expect((await out.post(url)).outcome).toBe('delivered')
})

test('the timeout includes the DNS lookup', async () => {
  using out = poster({ resolve: () => new Promise(() => {}), timeoutMs: 100 })
  const { outcome, durationMs } = await out.post('https://a.receiver.test/')
  expect(outcome).toBe('dns_failed')
  expect(durationMs).toBeGreaterThanOrEqual(100)
})

test.each<[string, () => Promise<readonly string[]>]>([
  ['cannot be resolved', () => Promise.reject(new Error('ENOTFOUND'))],
  ['has no address', async () => []],
])('a name that %s fails the attempt', async (_, resolve) => {
  using out = poster({ resolve })
  expect(await out.post('https://a.receiver.test/')).toMatchObject({ outcome: 'dns_failed', httpStatus: null })
})

/** URLs and addresses that must not be called. */
test.each([
  ['https://a.receiver.test/', '10.0.0.1'],
  ['https://a.receiver.test/', '93.184.216.34 10.0.0.1'],
  ['https://a.receiver.test/', '93.184.216.34 fe80::1'],
  ['https://a.receiver.test/', '::ffff:169.254.169.254'],
  ['https://a.receiver.test/', '64:ff9b::10.0.0.1'],
  ['https://a.receiver.test:9000/', '93.184.216.34'],
  ['http://a.receiver.test/', '93.184.216.34'],
  ['http://a.receiver.test/', '127.0.0.1'],
  ['https://10.0.0.1/', ''],
  ['https://[fd00::1]/', ''],
  ['https://0xa9fea9fe/', ''],
  ['http://127.0.0.1/', ''],
  ['https://me@a.receiver.test/', '127.0.0.1'],
  ['ftp://a.receiver.test/', '127.0.0.1'],
  ['nonsense', '127.0.0.1'],
])('%s is not called when it resolves to %p', async (url, addresses) => {
  using out = poster({ resolve: async () => addresses.split(' ') })
  expect(await out.post(url)).toMatchObject({ outcome: 'forbidden_address', httpStatus: null, responseSnippet: null })
})

test('loopback is called only where it is allowed, and without TLS only in test mode', async () => {
  await using secure = await rawReceiver(thanks)
  await using plain = await rawReceiver(thanks, { secure: false })
  using most = poster({ rules: usual })
  using some = poster()
  for (const url of [
    `https://localhost:${secure.port}/`,
    `http://127.0.0.1:${plain.port}/`,
    `http://a.example:${plain.port}/`,
  ])
    for (const livemode of [true, false]) {
      expect((await most.post(url, { livemode })).outcome).toBe('forbidden_address')
      const barred = livemode && url.startsWith('http:')
      expect((await some.post(url, { livemode })).outcome).toBe(barred ? 'forbidden_address' : 'delivered')
    }
  expect([secure.requests.length, plain.requests.length]).toEqual([2, 2])
})

test('a name that resolves differently later is checked again, and not resolved between check and request', async () => {
  await using receiver = await rawReceiver(thanks)
  const answers = [['127.0.0.1'], ['10.0.0.1']]
  using out = poster({ resolve: async () => answers.shift() ?? ['127.0.0.1'] })
  const url = `https://a.receiver.test:${receiver.port}/`
  let delivered = 0
  const last = await until(async () => {
    const { outcome } = await out.post(url)
    if (outcome === 'delivered') delivered++
    return outcome !== 'delivered' && outcome
  })
  expect(last).toBe('forbidden_address')
  expect(answers).toEqual([])
  expect(receiver.requests.length).toBe(delivered)
})

test('the next address is tried only while nothing was sent', async () => {
  await using receiver = await rawReceiver(thanks)
  const url = `https://a.receiver.test:${receiver.port}/`
  using out = poster({ resolve: async () => ['127.0.0.3', '127.0.0.2', '127.0.0.1'] })
  expect((await out.post(url)).outcome).toBe('delivered')
  expect(receiver.requests.length).toBe(1)

  await using cut = await rawReceiver({ request: socket => void socket.destroy() }, { at: '127.0.0.1' })
  using again = poster({ resolve: async () => ['127.0.0.1', '127.0.0.1'] })
  expect((await again.post(`https://a.receiver.test:${cut.port}/`)).outcome).toBe('connection_failed')
  expect(cut.requests.length).toBe(1)
})

test('without a listener the connection fails', async () => {
  using out = poster()
  expect((await out.post(`https://127.0.0.1:${await closedPort()}/`)).outcome).toBe('connection_failed')
})

test('close() ends requests in progress, and nothing is sent afterwards', async () => {
  await using receiver = await rawReceiver({})
  const out = poster()
  const url = `https://a.receiver.test:${receiver.port}/`
  const waiting = out.post(url)
  await until(() => receiver.requests.length === 1)
  out.close()
  expect((await waiting).outcome).toBe('connection_failed')
  expect((await out.post(url)).outcome).toBe('connection_failed')
  await until(() => receiver.connections.open === 0)
  expect(receiver.requests.length).toBe(1)
})

test('an invalid header fails the attempt, and sends no other header', async () => {
  await using receiver = await rawReceiver(thanks)
  using out = poster()
  const headers = { 'x-id': 'a\r\nx-other: b' }
  expect((await out.post(`https://a.receiver.test:${receiver.port}/`, { headers })).outcome).toBe('connection_failed')
  expect(receiver.requests.length).toBe(0)
})

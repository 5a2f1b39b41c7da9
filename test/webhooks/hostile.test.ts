import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { parseEnv } from '../../src/env.ts'
import { openPoster, type PostOutcome } from '../../src/webhooks/post.ts'
import { until } from '../harness/until.ts'
import { cert } from './certificate.ts'
import { answer, type Behaviour, drip, endlessly, type RawReceiver, rawReceiver } from './raw-receiver.ts'

/** What a receiver does after the request, or before it, and the outcome. */
type Case = Behaviour & {
  readonly plain?: true
  readonly outcome: PostOutcome['outcome']
  readonly status?: number
  readonly snippet?: string | null
  /** Requests that it must have read; undefined where it need not read any. */
  readonly requests?: number
}

const OK = answer(200, 'ok')

const cases: Readonly<Record<string, Case>> = {
  answers: { request: socket => socket.write(OK), outcome: 'delivered', status: 200, snippet: 'ok', requests: 1 },
  'never responds': { request: () => {}, outcome: 'timeout', requests: 1 },
  'does not even start TLS': { plain: true, outcome: 'timeout' },
  'does not speak TLS': {
    plain: true,
    connection: socket => socket.write('220 mail.example ESMTP\r\n'),
    outcome: 'tls_failed',
  },
  'closes immediately': { plain: true, connection: socket => socket.destroy(), outcome: 'connection_failed' },
  'closes after the handshake': { connection: socket => socket.destroy(), outcome: 'connection_failed' },
  'closes after the request': { request: socket => socket.destroy(), outcome: 'connection_failed', requests: 1 },
  'resets after the request': {
    request: socket => socket.resetAndDestroy(),
    outcome: 'connection_failed',
    requests: 1,
  },
  'ends without a response': { request: socket => socket.end(), outcome: 'connection_failed', requests: 1 },
  'closes within the headers': {
    request: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-le', () => socket.destroy()),
    outcome: 'connection_failed',
    requests: 1,
  },
  'closes within the body of a success': {
    request: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nhalf', () => socket.destroy()),
    outcome: 'delivered',
    status: 200,
    requests: 1,
  },
  'closes within the body of an error': {
    request: socket => socket.write('HTTP/1.1 500 No\r\ncontent-length: 20\r\n\r\nhalf', () => socket.destroy()),
    outcome: 'http_error',
    status: 500,
    requests: 1,
  },
  'responds before the request': { connection: socket => socket.write(OK), outcome: 'delivered', status: 200 },
  'sends its headers byte by byte': {
    request: socket => drip(socket, `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(9_999)}`),
    outcome: 'timeout',
    requests: 1,
  },
  'sends its body byte by byte': {
    request: socket => drip(socket, 'x'.repeat(9_999), 'HTTP/1.1 500 No\r\ncontent-length: 9999\r\n\r\n'),
    outcome: 'http_error',
    status: 500,
    requests: 1,
  },
  'sends 200 and never ends its body': {
    request: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\nhalf'),
    outcome: 'delivered',
    status: 200,
    snippet: 'half',
    requests: 1,
  },
  'sends an endless body': {
    request: socket => endlessly(socket, 'x'.repeat(65_536), 'HTTP/1.1 200 OK\r\n\r\n'),
    outcome: 'delivered',
    status: 200,
    snippet: 'x'.repeat(1_000),
    requests: 1,
  },
  'sends endless chunks': {
    request: socket =>
      endlessly(socket, `1000\r\n${'x'.repeat(4_096)}\r\n`, 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n'),
    outcome: 'http_error',
    status: 500,
    snippet: 'x'.repeat(1_000),
    requests: 1,
  },
  'sends endless headers': {
    request: socket => endlessly(socket, `x-y: ${'x'.repeat(999)}\r\n`, 'HTTP/1.1 200 OK\r\n'),
    outcome: 'bad_response',
    requests: 1,
  },
  'sends one endless header': {
    request: socket => endlessly(socket, 'x'.repeat(4_096), 'HTTP/1.1 200 OK\r\nx-y: '),
    outcome: 'bad_response',
    requests: 1,
  },
  'sends thousands of small headers': {
    request: socket => socket.write(answer(200, '', 'a: b\r\n'.repeat(9_999))),
    outcome: 'bad_response',
    requests: 1,
  },
  'sends an endless reason phrase': {
    request: socket => endlessly(socket, 'x'.repeat(4_096), 'HTTP/1.1 200 '),
    outcome: 'bad_response',
    requests: 1,
  },
  'sends endless trailers': {
    request: socket =>
      endlessly(socket, `x-y: ${'x'.repeat(999)}\r\n`, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n'),
    outcome: 'delivered',
    status: 200,
    requests: 1,
  },
  'sends two interim responses before the response': {
    request: socket => socket.write(`HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\n${OK}`),
    outcome: 'delivered',
    status: 200,
    snippet: 'ok',
    requests: 1,
  },
  'sends endless interim responses': {
    request: socket => endlessly(socket, 'HTTP/1.1 103 Hints\r\nlink: x\r\n\r\n'),
    outcome: 'bad_response',
    requests: 1,
  },
  'sends interim responses byte by byte': {
    request: socket => drip(socket, 'HTTP/1.1 103 Hints\r\n\r\n'.repeat(99)),
    outcome: 'timeout',
    requests: 1,
  },
  'switches protocols': {
    request: socket => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    outcome: 'http_error',
    status: 101,
    requests: 1,
  },
  'sends a compression bomb': {
    request: socket => {
      const bomb = gzipSync(Buffer.alloc(10_000_000))
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
      socket.write(bomb)
    },
    outcome: 'delivered',
    status: 200,
    snippet: null,
    requests: 1,
  },
  'sends markup and terminal codes': {
    request: socket => socket.write(answer(500, '<script>alert(1)</script>\r\n\t\u001b[31m\u0000\u202egnp.exe')),
    outcome: 'http_error',
    status: 500,
    snippet: '<script>alert(1)</script> [31mgnp.exe',
    requests: 1,
  },
  'talks another protocol': {
    request: socket => socket.write('SSH-2.0-OpenSSH_9.9\r\n'),
    outcome: 'bad_response',
    requests: 1,
  },
  'responds with HTTP/0.9': { request: socket => socket.end('<html>ok</html>'), outcome: 'bad_response', requests: 1 },
  'responds with HTTP/2': {
    request: socket => socket.write('HTTP/2 200\r\n\r\n'),
    outcome: 'bad_response',
    requests: 1,
  },
  'sends a length and chunks': {
    request: socket =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    outcome: 'bad_response',
    requests: 1,
  },
  'sends two lengths': {
    request: socket => socket.write(answer(200, 'ok', 'content-length: 3\r\n')),
    outcome: 'bad_response',
    requests: 1,
  },
  'sends invalid chunks': {
    request: socket => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    outcome: 'delivered',
    status: 200,
    requests: 1,
  },
  'sends 204 with a body': {
    request: socket => socket.write(answer(204, 'hello')),
    outcome: 'delivered',
    status: 204,
    requests: 1,
  },
  'sends a status of four digits': {
    request: socket => socket.write(answer(2_000)),
    outcome: 'bad_response',
    requests: 1,
  },
  'sends an unknown status': {
    request: socket => socket.write(answer(999)),
    outcome: 'http_error',
    status: 999,
    requests: 1,
  },
  'redirects to an internal address': {
    request: socket => socket.write(answer(307, '', 'location: http://169.254.169.254/latest/meta-data\r\n')),
    outcome: 'redirect',
    status: 307,
    snippet: null,
    requests: 1,
  },
}

// Long enough for a busy machine; all silent receivers wait at the same time.
const TIMEOUT_MS = 4_000
const HEALTHY = 200

const open = new AsyncDisposableStack()
const outcomes = new Map<
  string,
  { readonly hostile: PostOutcome; readonly receiver: RawReceiver; readonly healthy: number }
>()

/** All at the same time, each with many deliveries to a healthy receiver by the same poster. */
beforeAll(async () => {
  const rules = parseEnv({ WEBHOOK_ALLOW: '127.0.0.0/8' }).webhooks
  const poster = openPoster({ rules, ca: cert, timeoutMs: TIMEOUT_MS, resolve: async () => ['127.0.0.1'] })
  open.defer(() => poster.close())
  const healthy = open.use(await rawReceiver({ request: socket => socket.write(OK) }))
  const post = (port: number) =>
    poster.post({ url: `https://receiver.test:${port}/hooks`, livemode: true, headers: {}, body: '{"id":"1"}' })
  for (const [name, { plain, ...behaviour }] of Object.entries(cases)) {
    const receiver = open.use(await rawReceiver(behaviour, { secure: !plain }))
    const hostile = post(receiver.port)
    let delivered = 0
    for (let sent = 0; sent < HEALTHY; sent += 20) {
      const some = await Promise.all(Array.from({ length: 20 }, () => post(healthy.port)))
      delivered += some.filter(({ outcome }) => outcome === 'delivered').length
    }
    waiting.push(hostile.then(hostile => void outcomes.set(name, { hostile, receiver, healthy: delivered })))
  }
  await Promise.all(waiting)
  expect(healthy.requests.length).toBe(HEALTHY * waiting.length)
  // About as many connections as simultaneous requests.
  expect(healthy.connections.made).toBeLessThan(healthy.requests.length / 10)
}, 120_000)

const waiting: Promise<void>[] = []
afterAll(() => open.disposeAsync())

test.each(Object.entries(cases))(
  'a receiver that %s gets the right outcome, and 200 deliveries to a healthy one are made',
  (name, wanted) => {
    const { hostile, receiver, healthy } = outcomes.get(name) ?? {}
    expect(hostile).toMatchObject({
      outcome: wanted.outcome,
      httpStatus: wanted.status ?? null,
      ...(wanted.snippet !== undefined && { responseSnippet: wanted.snippet }),
      retryAfterSeconds: null,
    })
    if (wanted.outcome === 'timeout') expect(hostile?.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS)
    // Once; the poster does not repeat a request.
    if (wanted.requests !== undefined) expect(receiver?.requests.length).toBe(wanted.requests)
    expect(receiver?.connections.made).toBe(1)
    expect(healthy).toBe(HEALTHY)
  },
)

test('connections of abandoned requests are closed', async () => {
  for (const [name, { receiver }] of outcomes)
    if (cases[name]?.outcome === 'timeout') await until(() => receiver.connections.open === 0, { what: name })
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { parseEnv } from '../../src/env.ts'
import { openPoster, type PostOutcome } from '../../src/webhooks/post.ts'
import { until } from '../harness/until.ts'
import { cert } from './certificate.ts'
import { answer, type Behaviour, drip, endlessly, type RawReceiver, rawReceiver } from './raw-receiver.ts'

/** What a receiver does once the request is there, or before, and what comes of it. */
type Case = Behaviour & {
  readonly plain?: true
  readonly outcome: PostOutcome['outcome']
  readonly status?: number
  readonly snippet?: string | null
  /** Requests that it must have read; unsaid where it need not read any. */
  readonly requests?: number
}

const OK = answer(200, 'ok')

const cases: Readonly<Record<string, Case>> = {
  answers: { request: socket => socket.write(OK), outcome: 'delivered', status: 200, snippet: 'ok', requests: 1 },
  'says nothing': { request: () => {}, outcome: 'timeout', requests: 1 },
  'says nothing, not even hello': { plain: true, outcome: 'timeout' },
  'speaks no TLS': {
    plain: true,
    connection: socket => socket.write('220 mail.example ESMTP\r\n'),
    outcome: 'tls_failed',
  },
  'hangs up at once': { plain: true, connection: socket => socket.destroy(), outcome: 'connection_failed' },
  'hangs up after the handshake': { connection: socket => socket.destroy(), outcome: 'connection_failed' },
  'hangs up after the request': { request: socket => socket.destroy(), outcome: 'connection_failed', requests: 1 },
  'resets after the request': {
    request: socket => socket.resetAndDestroy(),
    outcome: 'connection_failed',
    requests: 1,
  },
  'ends without an answer': { request: socket => socket.end(), outcome: 'connection_failed', requests: 1 },
  'hangs up within the head': {
    request: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-le', () => socket.destroy()),
    outcome: 'connection_failed',
    requests: 1,
  },
  'hangs up within the body of a good answer': {
    request: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nhalf', () => socket.destroy()),
    outcome: 'delivered',
    status: 200,
    requests: 1,
  },
  'hangs up within the body of a bad answer': {
    request: socket => socket.write('HTTP/1.1 500 No\r\ncontent-length: 20\r\n\r\nhalf', () => socket.destroy()),
    outcome: 'http_error',
    status: 500,
    requests: 1,
  },
  'answers before it is asked': { connection: socket => socket.write(OK), outcome: 'delivered', status: 200 },
  'drips its head': {
    request: socket => drip(socket, `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(9_999)}`),
    outcome: 'timeout',
    requests: 1,
  },
  'drips its body': {
    request: socket => drip(socket, 'x'.repeat(9_999), 'HTTP/1.1 500 No\r\ncontent-length: 9999\r\n\r\n'),
    outcome: 'http_error',
    status: 500,
    requests: 1,
  },
  'says 200 and never ends its body': {
    request: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\nhalf'),
    outcome: 'delivered',
    status: 200,
    snippet: 'half',
    requests: 1,
  },
  'has a body without end': {
    request: socket => endlessly(socket, 'x'.repeat(65_536), 'HTTP/1.1 200 OK\r\n\r\n'),
    outcome: 'delivered',
    status: 200,
    snippet: 'x'.repeat(1_000),
    requests: 1,
  },
  'has chunks without end': {
    request: socket =>
      endlessly(socket, `1000\r\n${'x'.repeat(4_096)}\r\n`, 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n'),
    outcome: 'http_error',
    status: 500,
    snippet: 'x'.repeat(1_000),
    requests: 1,
  },
  'has headers without end': {
    request: socket => endlessly(socket, `x-y: ${'x'.repeat(999)}\r\n`, 'HTTP/1.1 200 OK\r\n'),
    outcome: 'bad_response',
    requests: 1,
  },
  'has one header without end': {
    request: socket => endlessly(socket, 'x'.repeat(4_096), 'HTTP/1.1 200 OK\r\nx-y: '),
    outcome: 'bad_response',
    requests: 1,
  },
  'has thousands of small headers': {
    request: socket => socket.write(answer(200, '', 'a: b\r\n'.repeat(9_999))),
    outcome: 'bad_response',
    requests: 1,
  },
  'has a reason without end': {
    request: socket => endlessly(socket, 'x'.repeat(4_096), 'HTTP/1.1 200 '),
    outcome: 'bad_response',
    requests: 1,
  },
  'has trailers without end': {
    request: socket =>
      endlessly(socket, `x-y: ${'x'.repeat(999)}\r\n`, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n'),
    outcome: 'delivered',
    status: 200,
    requests: 1,
  },
  'hints early, twice, and answers': {
    request: socket => socket.write(`HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\n${OK}`),
    outcome: 'delivered',
    status: 200,
    snippet: 'ok',
    requests: 1,
  },
  'hints without end': {
    request: socket => endlessly(socket, 'HTTP/1.1 103 Hints\r\nlink: x\r\n\r\n'),
    outcome: 'bad_response',
    requests: 1,
  },
  'drips hints': {
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
  'sends a bomb': {
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
  'talks HTTP/0.9': { request: socket => socket.end('<html>ok</html>'), outcome: 'bad_response', requests: 1 },
  'talks HTTP/2': { request: socket => socket.write('HTTP/2 200\r\n\r\n'), outcome: 'bad_response', requests: 1 },
  'has a length and chunks': {
    request: socket =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    outcome: 'bad_response',
    requests: 1,
  },
  'has two lengths': {
    request: socket => socket.write(answer(200, 'ok', 'content-length: 3\r\n')),
    outcome: 'bad_response',
    requests: 1,
  },
  'has chunks of nonsense': {
    request: socket => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    outcome: 'delivered',
    status: 200,
    requests: 1,
  },
  'says 204 and has a body': {
    request: socket => socket.write(answer(204, 'hello')),
    outcome: 'delivered',
    status: 204,
    requests: 1,
  },
  'has a status of four digits': {
    request: socket => socket.write(answer(2_000)),
    outcome: 'bad_response',
    requests: 1,
  },
  'has a status that nobody knows': {
    request: socket => socket.write(answer(999)),
    outcome: 'http_error',
    status: 999,
    requests: 1,
  },
  'redirects to where nobody else may call': {
    request: socket => socket.write(answer(307, '', 'location: http://169.254.169.254/latest/meta-data\r\n')),
    outcome: 'redirect',
    status: 307,
    snippet: null,
    requests: 1,
  },
}

// Time enough for a busy machine; those who say nothing share it.
const TIMEOUT_MS = 4_000
const HEALTHY = 200

const open = new AsyncDisposableStack()
const outcomes = new Map<
  string,
  { readonly hostile: PostOutcome; readonly receiver: RawReceiver; readonly healthy: number }
>()

/** All at once, each with so many deliveries to a healthy receiver beside it, by the same poster. */
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
  // About as many connections as there were requests at a time.
  expect(healthy.connections.made).toBeLessThan(healthy.requests.length / 10)
}, 120_000)

const waiting: Promise<void>[] = []
afterAll(() => open.disposeAsync())

test.each(Object.entries(cases))(
  'a receiver that %s is dealt with, and 200 deliveries beside it are made',
  (name, wanted) => {
    const { hostile, receiver, healthy } = outcomes.get(name) ?? {}
    expect(hostile).toMatchObject({
      outcome: wanted.outcome,
      httpStatus: wanted.status ?? null,
      ...(wanted.snippet !== undefined && { responseSnippet: wanted.snippet }),
      retryAfterSeconds: null,
    })
    if (wanted.outcome === 'timeout') expect(hostile?.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS)
    // Once, and never again by itself.
    if (wanted.requests !== undefined) expect(receiver?.requests.length).toBe(wanted.requests)
    expect(receiver?.connections.made).toBe(1)
    expect(healthy).toBe(HEALTHY)
  },
)

test('what is given up is hung up on', async () => {
  for (const [name, { receiver }] of outcomes)
    if (cases[name]?.outcome === 'timeout') await until(() => receiver.connections.open === 0, { what: name })
})

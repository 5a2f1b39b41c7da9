import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { Refusal } from '../../src/errors.ts'
import { openBodyReader } from '../../src/http/body.ts'
import { until } from '../harness/until.ts'

const KIB64 = 64 * 1024

/** A server that answers with the body it read, or with the error code. */
const startServer = (patienceMs = 20_000) => {
  const errorCodes: string[] = []
  const readBody = openBodyReader({ patienceMs })
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: request =>
      readBody(request).then(
        body => Response.json(body ?? 'no body'),
        error => {
          const { code, because } = error instanceof Refusal ? error : { code: String(error), because: {} }
          errorCodes.push(code)
          return new Response([code, because.param].filter(part => part !== undefined).join(' '))
        },
      ),
  })
  const send = async (body: string | Uint8Array, type: string | null = 'application/json') => {
    const headers = new Headers(type === null ? {} : { 'content-type': type })
    return (await fetch(listener.url, { method: 'POST', body, headers })).text()
  }
  return { send, errorCodes, port: Number(listener.port), [Symbol.asyncDispose]: () => listener.stop(true) }
}

/** Writes the request by hand, because no HTTP client sends what these tests send. */
const dial = (port: number, head: string) => {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', bytes => {
    text += bytes
  })
  socket.on('error', () => {})
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${head}\r\n\r\n`)
  return {
    write: (bytes: string) => new Promise(resolve => socket.write(bytes, resolve)),
    answer: () => until(() => text, { what: 'an answer' }),
    hasAnswer: () => text !== '',
    [Symbol.dispose]: () => socket.destroy(),
  }
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const quoted = (bytes: number) => JSON.stringify('a'.repeat(bytes - 2))

test('a body of 64 KiB is read, and one byte more is refused', async () => {
  await using server = startServer()
  expect(await server.send(quoted(KIB64))).toBe(quoted(KIB64))
  expect(await server.send(quoted(KIB64 + 1))).toBe('body_too_large')
  expect(await server.send(quoted(10 * 1024 * 1024))).toBe('body_too_large')
})

test('a body whose Content-Length is too large is refused before any of it arrives', async () => {
  await using server = startServer()
  using caller = dial(server.port, `Content-Length: ${KIB64 + 1}`)
  expect(await caller.answer()).toContain('body_too_large')
})

test('a body of unknown length is refused at the first byte too many, not at its end', async () => {
  await using server = startServer()
  using caller = dial(server.port, 'Transfer-Encoding: chunked')
  for (let sent = 0; sent < KIB64; sent += 4096) await caller.write(chunk('a'.repeat(4096)))
  expect(caller.hasAnswer()).toBe(false)
  await caller.write(chunk('a'))
  expect(await caller.answer()).toContain('body_too_large')
})

test('a chunked body of 64 KiB is read', async () => {
  await using server = startServer()
  using caller = dial(server.port, 'Transfer-Encoding: chunked')
  const body = quoted(KIB64)
  for (let at = 0; at < KIB64; at += 10_000) await caller.write(chunk(body.slice(at, at + 10_000)))
  await caller.write('0\r\n\r\n')
  expect(await caller.answer()).toContain('200 OK')
  expect(server.errorCodes).toEqual([])
})

test('a body that arrives byte by byte is read', async () => {
  await using server = startServer()
  const body = '{"room":"attic"}'
  using caller = dial(server.port, `Content-Length: ${body.length}`)
  for (const byte of body) {
    expect(caller.hasAnswer()).toBe(false)
    await caller.write(byte)
  }
  expect(await caller.answer()).toContain(body)
})

test('waiting for the end of a body times out', async () => {
  await using server = startServer(100)
  using caller = dial(server.port, 'Content-Length: 10')
  await caller.write('{')
  expect(await caller.answer()).toContain('invalid_json')
})

test('a client that disconnects inside the body is refused, which is not an internal error', async () => {
  await using server = startServer()
  {
    using caller = dial(server.port, 'Content-Length: 10')
    await caller.write('{')
  }
  await until(() => server.errorCodes.length > 0)
  expect(server.errorCodes).toEqual(['invalid_json'])
})

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

const bodies: readonly [body: string | Uint8Array, answer: string][] = [
  ['', '"no body"'],
  ['{}', '{}'],
  ['{"a":1,"a":2}', '{"a":2}'],
  ['\ufeff{}', '{}'],
  ['{', 'invalid_json'],
  [' ', 'invalid_json'],
  ['{"a":NaN}', 'invalid_json'],
  ['{"a":01}', 'invalid_json'],
  ["{'a':1}", 'invalid_json'],
  ['{}{}', 'invalid_json'],
  [Uint8Array.of(0x22, 0xff, 0x22), 'invalid_json'],
  [nested(32), nested(32)],
  [nested(34), 'invalid_json'],
  [nested(10_000), 'invalid_json'],
  [nested(32_768), 'invalid_json'],
  ['{"a":'.repeat(10_000), 'invalid_json'],
  ['{"a":9007199254740991}', '{"a":9007199254740991}'],
  ['{"a":9007199254740992}', 'parameter_invalid a'],
  ['{"a":-9007199254740993}', 'parameter_invalid a'],
  ['{"a":{"b":1e309}}', 'parameter_invalid a.b'],
  ['{"a":["x\\u0000y"]}', 'parameter_invalid a.0'],
  ['{"a":"\\ud800"}', 'parameter_invalid a'],
  ['{"a":"\\ud83d\\ude00"}', '{"a":"😀"}'],
  ['{"__proto__":{"admin":true}}', 'parameter_unknown'],
  ['{"a":{"__proto__":1}}', 'parameter_invalid a'],
  ['{"a":{"b\\u0000":1}}', 'parameter_invalid a'],
  ['{"a":{"b\\ud800":1}}', 'parameter_invalid a'],
  ['{"a":[{"b":{"__proto__":1}}]}', 'parameter_invalid a.0.b'],
  ['{"a\\ud800":1}', 'parameter_unknown'],
  ['{"a\\u0000":1}', 'parameter_unknown'],
]

test.each(bodies.map(([body, answer]) => [String(body).slice(0, 30), body, answer] as const))(
  'the body %j',
  async (_, body, answer) => {
    await using server = startServer()
    expect(await server.send(body)).toBe(answer)
  },
)

test('a body must be JSON in UTF-8', async () => {
  await using server = startServer()
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
    expect([type, await server.send('{}', type)]).toEqual([type, '{}'])
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/jsonp',
    'text/plain; application/json',
    'application/json, text/plain',
  ])
    expect([type, await server.send('{}', type)]).toEqual([type, 'unsupported_media_type'])
  // Bytes, because fetch sets a content type for text.
  expect(await server.send(Buffer.from('{}'), null)).toBe('unsupported_media_type')
})

test('a compressed body is refused', async () => {
  await using server = startServer()
  using caller = dial(server.port, 'Content-Encoding: gzip\r\nContent-Length: 2')
  await caller.write('{}')
  expect(await caller.answer()).toContain('unsupported_media_type')
})

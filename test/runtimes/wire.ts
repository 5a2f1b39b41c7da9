import { connect } from 'node:net'
import { openWeb } from '../../src/server/web.ts'

/** Sends everything on one connection and returns the responses until the server closes it, without what differs every time. */
export const wire = async (url: string, parts: readonly string[]): Promise<readonly string[]> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let answer = ''
  socket.on('data', bytes => {
    answer += bytes
  })
  const ended = new Promise((resolve, reject) => socket.once('end', resolve).once('error', reject))
  for (const part of parts) socket.write(part)
  await ended
  socket.destroy()
  return answer.split(/(?=HTTP\/1\.1 )/).map(plain)
}

const plain = (answer: string): string => {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [status = '', ...fields] = head.split('\r\n')
  const said = fields
    .map(field => field.replace(/^[^:]+/, name => name.toLowerCase()))
    .filter(field => !/^(date|keep-alive|connection:)/i.test(field))
    .sort()
  return [status, ...said, '', body].join('\n').replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
}

const ask = (line: string, fields: readonly string[] = [], body = '') =>
  `${[line, ...fields].join('\r\n')}\r\n\r\n${body}`
const from = 'Host: shop.test'
const last = ask('GET /healthz HTTP/1.1', [from, 'Connection: close'])
const get = (path: string, ...fields: readonly string[]) => [ask(`GET ${path} HTTP/1.1`, [from, ...fields]), last]
const by = (method: string, path: string) => [ask(`${method} ${path} HTTP/1.1`, [from]), last]
const toHost = (host: string) => [ask('GET /v1/auth/me HTTP/1.1', [`Host: ${host}`]), last]
const post = (fields: readonly string[], body: string) =>
  ask('POST /v1/auth/sign-in HTTP/1.1', [from, 'Content-Type: application/json', ...fields], body)
const lengthy = (length: number) => `Content-Length: ${length}`
const chunked = 'Transfer-Encoding: chunked'
const x64k = 'x'.repeat(65_536)

const asset = (await openWeb({ say: console.log })).asset('pay/pay.css')

/** Requests of clients, probes and attackers. The last request of each closes its connection. */
export const conversations: Readonly<Record<string, readonly string[]>> = {
  health: get('/healthz'),
  'the length of a HEAD response': by('HEAD', '/healthz'),
  'a file of the pages': get(asset),
  'a file of the pages, with Brotli': get(asset, 'Accept-Encoding: gzip, br'),
  'a file of the pages, with gzip': get(asset, 'Accept-Encoding: gzip, br;q=0.1'),
  'the length of a file of the pages': by('HEAD', asset),
  'a file beside those of the pages': get('/assets/..%2fmanifest.json'),
  'no session': get('/v1/auth/me'),
  'an unknown query parameter': get('/healthz?x=1'),
  'a path with dots': get('/v1/./auth/../auth/me'),
  'a path with encoded dots': get('/v1/%2e%2E/v1/auth/me'),
  'a path with a dot at the end': get('/healthz/.'),
  'a path with backslashes': get('/docs\\..\\healthz'),
  'a path with a dot in a name': get('/.well-known/x'),
  'dots in a query': get('/healthz?x=/../y'),
  'a path that cannot be decoded': get('/pay/%ZZ'),
  'a path with a NUL': get('/pay/a%00b'),
  'an empty segment': get('//healthz'),
  'a slash at the end': get('/healthz/'),
  'a fragment': get('/healthz#x'),
  'an absolute URL': get('http://other.test/healthz'),
  'an unknown path': by('OPTIONS', '/nowhere'),
  'an unsupported method': by('DELETE', '/healthz'),
  'a method that fetch forbids': by('TRACE', '/healthz'),
  'a short host': toHost('a'),
  'half an address as host': toHost('[::'),
  'a host with a path': toHost('a/b?c'),
  'a host with a user': toHost('a@b'),
  'an empty host': toHost(''),
  'HTTP/1.0 without a host': [ask('GET /v1/auth/me HTTP/1.0')],
  'a probe without a host': [ask('GET /healthz HTTP/1.0')],
  'two lengths': [post([lengthy(2), lengthy(3)], '{}')],
  'a length and chunks': [post([lengthy(2), chunked], '0\r\n\r\n')],
  'no HTTP': ['hello\r\n\r\n'],
  'an empty body': [post([lengthy(0)], ''), last],
  'an empty object': [post([lengthy(2)], '{}'), last],
  'an empty object in chunks': [post([chunked], '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n'), last],
  'no JSON': [post([lengthy(1)], '{'), last],
  'another type': [ask('POST /v1/auth/sign-in HTTP/1.1', [from, lengthy(2)], '{}'), last],
  'a GET with a body': [ask('GET /healthz HTTP/1.1', [from, lengthy(2)], '{}'), last],
  'too much, announced': [post([lengthy(200_000)], ''), 'x'.repeat(200_000), last],
  'too much, in chunks': [post([chunked], ''), `10000\r\n${x64k}\r\n`, `10000\r\n${x64k}\r\n0\r\n\r\n`, last],
  'too much, without permission': [
    ask('POST /v1/payment-links HTTP/1.1', [from, lengthy(200_000)]),
    'x'.repeat(200_000),
    last,
  ],
  'a body that waits for 100 Continue': [post([lengthy(2), 'Expect: 100-continue'], '{}'), last],
  'an unknown expectation': [post([lengthy(2), 'Expect: wonders'], '{}'), last],
  'another protocol': [ask('GET /healthz HTTP/1.0', [from, 'Connection: Upgrade', 'Upgrade: websocket'])],
  'a cookie in two fields': [
    ask('POST /v1/auth/refresh HTTP/1.1', [from, 'Cookie: a=1', 'Cookie: refresh=x', lengthy(0)]),
    last,
  ],
  'a page': [ask('GET /docs HTTP/1.0')],
}

import process from 'node:process'
import { verifyWebhook } from '../../src/verify-webhook/index.ts'
import { openPoster } from '../../src/webhooks/post.ts'
import { makeSecret, signedHeaders } from '../../src/webhooks/signature.ts'
import { cert } from '../webhooks/certificate.ts'
import { answer, type Behaviour, drip, endlessly, rawReceiver } from '../webhooks/raw-receiver.ts'

/** Sends to receivers of several kinds, on Node, Deno or Bun, and prints the outcomes. */
const kinds: Readonly<Record<string, Behaviour>> = {
  thanks: { request: socket => void socket.write(answer(200, 'ok')) },
  silent: {},
  redirecting: { request: socket => void socket.write(answer(302, '', 'location: /\r\n')) },
  endless: { request: socket => endlessly(socket, 'x'.repeat(65_536), 'HTTP/1.1 500 No\r\n\r\n') },
  headers: { request: socket => endlessly(socket, `x-y: ${'x'.repeat(999)}\r\n`, 'HTTP/1.1 200 OK\r\n') },
  dripping: { request: socket => drip(socket, 'x'.repeat(999), 'HTTP/1.1 200 OK\r\nx-y: ') },
  upgrading: { request: socket => void socket.write('HTTP/1.1 101 Up\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n') },
  hanging_up: { request: socket => void socket.destroy() },
  nonsense: { request: socket => void socket.write('SSH-2.0-OpenSSH\r\n') },
}

// Nothing listens there, and nothing must be sent there.
for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy'])
  process.env[name] = 'http://127.0.0.1:1'

console.log('running')

const loopback = { address: '127.0.0.0', prefix: 8, family: 'ipv4' } as const
const rules = { allow: [loopback], ports: [443] }
const poster = openPoster({ rules, ca: cert, timeoutMs: 3_000, resolve: async () => ['127.0.0.1'] })
const strict = openPoster({ rules, resolve: async () => ['127.0.0.1'] })
const secret = makeSecret(bytes => crypto.getRandomValues(bytes))
const body = JSON.stringify({ id: 'e1', type: 'payment.succeeded', title: 'Käse' })
const sent = () => ({
  livemode: true,
  body,
  headers: signedHeaders({ secrets: [secret], id: 'e1', body, at: new Date() }),
})

const outcomes: Record<string, unknown> = {}
const open = new AsyncDisposableStack()
await Promise.all(
  Object.entries(kinds).map(async ([kind, behaviour]) => {
    const { port } = open.use(await rawReceiver(behaviour))
    const { outcome, httpStatus } = await poster.post({ url: `https://a.receiver.test:${port}/`, ...sent() })
    outcomes[kind] = `${outcome} ${httpStatus}`
  }),
)

const kept = open.use(await rawReceiver(kinds.thanks ?? {}))
const plain = open.use(await rawReceiver(kinds.thanks ?? {}, { secure: false }))
const at = `https://a.receiver.test:${kept.port}/`
for (let i = 0; i < 3; i++) await poster.post({ url: at, ...sent() })
outcomes.connections = kept.connections.made
outcomes.untrusted = (await strict.post({ url: at, ...sent() })).outcome
outcomes.another_name = (await poster.post({ ...sent(), url: at.replace('receiver', 'other') })).outcome
outcomes.plain = (await poster.post({ ...sent(), url: `http://127.0.0.1:${plain.port}/`, livemode: false })).outcome
outcomes.forbidden = (await poster.post({ ...sent(), url: 'https://10.0.0.1/' })).outcome

const [head = '', text = ''] = kept.requests[0]?.split('\r\n\r\n') ?? []
const headers = new Headers(
  head
    .split('\r\n')
    .slice(1)
    .map(line => line.split(': ') as [string, string]),
)
outcomes.verified = verifyWebhook({ body: Buffer.from(text, 'latin1'), headers, secret }).type

await open.disposeAsync()
poster.close()
strict.close()
console.log(JSON.stringify(outcomes))

import * as localhost from '../webhooks/certificate.ts'
import * as receivers from './webhooks-certificate.ts'
import { clockMs } from './webhooks-clock.ts'

/**
 * The receivers: one server answers every name over TLS, except that requests to /silent wait for ever; another, in
 * plain HTTP, reports what was received. Prints both ports. An argument is the name of its certificate.
 */
const { cert, key } = process.argv[2] === 'localhost' ? localhost : receivers
const first = new Map<string, number>()
let arrived = Promise.withResolvers<void>()
let answered = 0
let silent = 0
let wrong = 0

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  tls: { key, cert },
  // Connections that wait for a response must not time out.
  idleTimeout: 0,
  fetch: async request => {
    const at = clockMs()
    const id = request.headers.get('webhook-id') ?? ''
    if (request.url.endsWith('/silent')) {
      silent++
      return new Promise<Response>(() => {})
    }
    answered++
    if (!first.has(id)) first.set(id, at)
    arrived.resolve()
    const body = await request.arrayBuffer()
    if (body.byteLength < 600 || !request.headers.has('webhook-signature')) wrong++
    return new Response('thank you')
  },
})

const counts = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  routes: {
    '/counts': () => Response.json({ answered, silent, wrong, distinct: first.size }),
    // Waits for the first one.
    '/times': async () => {
      await arrived.promise
      return Response.json([...first])
    },
    '/reset': () => {
      first.clear()
      arrived = Promise.withResolvers()
      answered = 0
      silent = 0
      wrong = 0
      return new Response()
    },
  },
})
console.log(JSON.stringify({ port: server.port, counts: counts.port }))

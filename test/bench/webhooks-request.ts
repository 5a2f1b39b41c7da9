import { randomUUID } from 'node:crypto'
import https from 'node:https'
import tls from 'node:tls'
import { signedHeaders } from '../../src/webhooks/signature.ts'
import { cert } from './webhooks-certificate.ts'

/** What is sent, and where. */
export type Requested = { readonly host: string; readonly path: string; readonly id: string; readonly body: string }

/**
 * A request like those of our sender, without the rest: two signatures, the same headers, over kept connections of one
 * agent per host. Returns the status when the response has ended.
 */
export const openRequests = (port: number) => {
  const secureContext = tls.createSecureContext({ ca: cert })
  const agents = new Map<string, https.Agent>()

  const agentOf = (host: string): https.Agent => {
    const known = agents.get(host)
    if (known) return known
    const agent = new https.Agent({ keepAlive: true, timeout: 4_000, maxFreeSockets: 512, secureContext })
    agents.set(host, agent)
    return agent
  }

  return ({ host, path, id, body }: Requested, timeoutMs?: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const signed = signedHeaders({ secrets: [SECRET], id, body, at: new Date() })
      const request = https.request({
        ...{ agent: agentOf(host), host: '127.0.0.1', port, servername: host, method: 'POST', path },
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'paymachine',
          ...signed,
          Host: `${host}:${port}`,
          'Content-Length': Buffer.byteLength(body),
        },
        setHost: false,
      })
      const late = timeoutMs === undefined ? undefined : setTimeout(() => request.destroy(new Error('late')), timeoutMs)
      request.on('response', response => {
        response.resume()
        response.on('end', () => {
          clearTimeout(late)
          resolve(response.statusCode ?? 0)
        })
      })
      request.on('error', reject)
      request.end(body)
    })
}

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Names of receivers: those that respond, and those that never do. */
export const hostOf = (n: number, silent = false): string => `${silent ? 's' : 'h'}${n}.receivers.test`
export const pathOf = (silent = false): string => (silent ? '/silent' : '/hooks')

const BODY_BYTES = 700

/** The fields of an event around its object, and an object that makes it 700 bytes long. */
export const objectOf = (): string => {
  const around = `{"id":"${randomUUID()}","type":"payment.created","created":1795000000,"livemode":false,"api_version":"2026-11-20","data":{"object":}}`
  const object = { id: randomUUID(), object: 'payment', metadata: '' }
  const padding = BODY_BYTES - around.length - JSON.stringify(object).length
  return JSON.stringify({ ...object, metadata: '.'.repeat(padding) })
}

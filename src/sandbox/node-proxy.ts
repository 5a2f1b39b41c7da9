import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A proxy in front of the sandbox's node. Its address stays the same while the node is replaced. It rejects what anvil
 * would accept: requests from web pages, which could use the chain through a browser on this machine, and calls that
 * make the node fetch a URL.
 */
export type NodeProxy = {
  readonly port: number
  /** Sets the URL of the node; undefined while there is none. */
  setTarget(url: string | undefined): void
  close(): Promise<void>
}

export type NodeProxyOptions = {
  /** The preferred port. If it is not free, another one is used. */
  readonly port?: number | undefined
  /** Use only `port`. */
  readonly fixedPort?: boolean | undefined
}

export const openNodeProxy = async ({ port = 0, fixedPort = false }: NodeProxyOptions): Promise<NodeProxy> => {
  let target: string | undefined
  const server = createServer((incoming, outgoing) => {
    // The client or the node has closed the connection.
    serve(incoming, outgoing, target).catch(() => outgoing.destroy())
  })
  const listen = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(at, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  await listen(port).catch(error => (fixedPort ? Promise.reject(error) : listen(0)))
  return {
    port: (server.address() as AddressInfo).port,
    setTarget: url => {
      target = url
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Methods of anvil with the URL of another node as a parameter. */
const FETCHING: readonly string[] = ['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl']
const MAX_BYTES = 4 * 2 ** 20

const serve = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: string | undefined,
): Promise<void> => {
  if (!isProgram(incoming)) return end(outgoing, 403)
  const body = await readBody(incoming)
  if (body === undefined) return end(outgoing, 413)
  const calls = parse(body)
  if (calls === undefined) return end(outgoing, 400)
  if ([calls].flat().some(each => FETCHING.includes(methodOf(each)))) return end(outgoing, 403)
  if (target === undefined) return end(outgoing, 503)
  // Serialized again, so that the node parses exactly what was checked here.
  await forward(target, JSON.stringify(calls), outgoing)
}

/**
 * Whether the request does not come from a web page. Browsers send an Origin, and allow JSON to another origin only
 * after a CORS preflight, which is rejected here. A page whose host name resolves to this machine needs no preflight,
 * but shows in the Host header. Wallet extensions have an origin with another scheme and are accepted.
 */
const isProgram = ({ method, headers }: IncomingMessage): boolean => {
  const { host = '', origin, 'content-type': type = '' } = headers
  const isPage = origin !== undefined && (origin === 'null' || /^https?:/i.test(origin))
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)
  return method === 'POST' && isHere && !isPage && /^application\/json\b/i.test(type)
}

/** Returns undefined if the body is too large. */
const readBody = async (incoming: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes <= MAX_BYTES) chunks.push(chunk)
  }
  return bytes > MAX_BYTES ? undefined : Buffer.concat(chunks).toString('utf8')
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const methodOf = (call: unknown): string =>
  typeof call === 'object' && call !== null && 'method' in call ? String(call.method) : ''

const forward = (target: string, body: string, outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    // Without keep-alive: a kept connection may belong to a node that has ended.
    const sent = request(target, { method: 'POST', headers, agent: false }, nodeResponse => {
      outgoing.writeHead(nodeResponse.statusCode ?? 502, { 'content-type': 'application/json' })
      nodeResponse.on('error', reject).on('end', resolve).pipe(outgoing)
    })
    outgoing.on('close', () => sent.destroy())
    sent.on('error', reject).end(body)
  })

const end = (outgoing: ServerResponse, status: number): void => {
  outgoing.writeHead(status, { connection: 'close' }).end()
}

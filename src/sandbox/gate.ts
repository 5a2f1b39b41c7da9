import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The address of the sandbox's node. It stays while the node behind it is replaced, and keeps out what the node lets in:
 * web pages, which could read and steer the chain through a browser on this machine, and requests that make the node
 * fetch a URL.
 */
export type Gate = {
  readonly port: number
  /** Where the node is; undefined while there is none. */
  leadTo(url: string | undefined): void
  close(): Promise<void>
}

export type GateOptions = {
  /** Taken if it is free. */
  readonly port?: number | undefined
  /** No other port will do. */
  readonly fixedPort?: boolean | undefined
}

export const openGate = async ({ port = 0, fixedPort = false }: GateOptions): Promise<Gate> => {
  let target: string | undefined
  const server = createServer((asked, answer) => {
    // The client is gone, or the node.
    serve(asked, answer, target).catch(() => answer.destroy())
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
    leadTo: url => {
      target = url
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Those of anvil that take the URL of another node. */
const FETCHING: readonly string[] = ['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl']
const MOST_BYTES = 4 * 2 ** 20

const serve = async (asked: IncomingMessage, answer: ServerResponse, target: string | undefined): Promise<void> => {
  if (!isProgram(asked)) return end(answer, 403)
  const body = await readBody(asked)
  if (body === undefined) return end(answer, 413)
  const calls = parse(body)
  if (calls === undefined) return end(answer, 400)
  if ([calls].flat().some(each => FETCHING.includes(methodOf(each)))) return end(answer, 403)
  if (target === undefined) return end(answer, 503)
  // Written anew, so that the node reads what was read here.
  await forward(target, JSON.stringify(calls), answer)
}

/**
 * Browsers say where a page is from, and pages may send JSON elsewhere only with a permission that is never given here. A
 * page whose name leads to this machine needs none, and shows in the host. The extension of a wallet has a scheme of its own.
 */
const isProgram = ({ method, headers }: IncomingMessage): boolean => {
  const { host = '', origin, 'content-type': type = '' } = headers
  const isPage = origin !== undefined && (origin === 'null' || /^https?:/i.test(origin))
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)
  return method === 'POST' && isHere && !isPage && /^application\/json\b/i.test(type)
}

/** Undefined when it is too large. */
const readBody = async (asked: IncomingMessage): Promise<string | undefined> => {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of asked as AsyncIterable<Buffer>) {
    bytes += piece.byteLength
    if (bytes <= MOST_BYTES) pieces.push(piece)
  }
  return bytes > MOST_BYTES ? undefined : Buffer.concat(pieces).toString('utf8')
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

const forward = (target: string, body: string, answer: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    // A connection that is kept may be one to a node that has ended since.
    const sent = request(target, { method: 'POST', headers, agent: false }, told => {
      answer.writeHead(told.statusCode ?? 502, { 'content-type': 'application/json' })
      told.on('error', reject).on('end', resolve).pipe(answer)
    })
    answer.on('close', () => sent.destroy())
    sent.on('error', reject).end(body)
  })

const end = (answer: ServerResponse, status: number): void => {
  answer.writeHead(status, { connection: 'close' }).end()
}

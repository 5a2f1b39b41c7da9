import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { AnyElysia } from 'elysia'
import { requestOf } from './node-request.ts'
import { respond } from './node-response.ts'
import { openUpgrades } from './node-upgrade.ts'
import { isRewritten, withoutRoute } from './raw-path.ts'

/** `idleS`: maximum idle time of a connection. Must be more than 4, because Bun checks every four seconds. */
export type ListenOptions = { readonly host: string; readonly port: number; readonly idleS?: number }
/** The part of the interface of Bun's server that is used. */
export type HttpListener = {
  readonly port: number
  requestIP(request: Request): { readonly address: string } | null
  /** Closes the connection of this request when it was idle for so long. 0: never. */
  timeout(request: Request, seconds: number): void
  /** Accepts no new requests, and resolves when the open ones have ended. `cutOff`: closes them immediately. */
  stop(cutOff?: boolean): Promise<void>
}

/** Serves the app with `node:http`, for Node and Deno. Responses are the same as with Bun's server. */
export const listen = async (app: AnyElysia, { host, port, idleS }: Required<ListenOptions>): Promise<HttpListener> => {
  const arrived = new WeakMap<Request, IncomingMessage>()
  /** Connections without a request so far: browsers open some in advance. */
  const silent = new Set<Socket>()
  const inTurn = openQueues()
  let stopping = false

  const fetchFor = async (incoming: IncomingMessage): Promise<Response> => {
    const request = isRewritten(pathOf(incoming)) ? withoutRoute(requestOf(incoming)) : requestOf(incoming)
    arrived.set(request, incoming)
    return app.fetch(request)
  }

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    silent.delete(incoming.socket)
    // A closed connection is not a fault, but without a listener the error would be thrown.
    outgoing.on('error', () => {})
    outgoing.once('close', () => {
      if (stopping) incoming.socket.end()
      // Read the rest of the body: it precedes the next request on the connection.
      else incoming.resume()
    })
    await inTurn(incoming.socket, outgoing)
    // The client has closed the connection, or the previous response was the last one.
    if (!incoming.socket.writable) return
    try {
      const isHead = incoming.method === 'HEAD'
      await respond(await fetchFor(incoming), { outgoing, isHead, isLast: () => stopping })
    } catch {
      // The app handles all its errors: this is an invalid request, or a response that was interrupted.
      outgoing.destroy()
    }
  }

  const idleMs = idleS * 1_000
  const times = { keepAliveTimeout: idleMs, headersTimeout: HEAD_MS, connectionsCheckingInterval: HEAD_MS / 4 }
  // Other upgrades, such as that of curl to HTTP/2, are ordinary requests.
  const shouldUpgradeCallback = ({ method, headers }: IncomingMessage) =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
  const options = { ...times, shouldUpgradeCallback }
  const server = createServer(options, answer)
  const upgrades = openUpgrades(fetchFor)
  server.on('upgrade', (incoming, socket, head) => {
    silent.delete(socket as Socket)
    upgrades.answer(incoming, socket, head)
  })
  server.timeout = idleMs
  // Otherwise a request with an unknown Expect header would be rejected.
  server.on('checkExpectation', answer)
  server.on('connection', socket => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.listen(port, host)
  // Rejects if the server cannot listen.
  await once(server, 'listening')
  // A connection that cannot be accepted, for example without free file descriptors, must not end the process.
  server.on('error', () => {})

  return {
    port: Object(server.address()).port,
    requestIP: request => {
      const address = arrived.get(request)?.socket.remoteAddress
      return address === undefined ? null : { address }
    },
    timeout: (request, seconds) => {
      arrived.get(request)?.socket.setTimeout(seconds * 1_000)
    },
    stop: async cutOff => {
      stopping = true
      const closed = server.listening ? once(server, 'close') : undefined
      server.close()
      for (const socket of silent) socket.destroy()
      if (cutOff) {
        server.closeAllConnections()
        upgrades.stop()
      }
      await closed
    },
  }
}

/** The path as it was sent, without the query. */
const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/'

/**
 * Handles the requests of one connection one after the other. The parser emits all pipelined requests immediately, possibly
 * thousands: their responses would fill the memory if the client does not read them.
 */
const openQueues = () => {
  const underWay = new WeakMap<Socket, Promise<void>>()
  return async (connection: Socket, outgoing: ServerResponse): Promise<void> => {
    const before = underWay.get(connection)
    underWay.set(connection, new Promise(resolve => outgoing.once('close', resolve)))
    await before
  }
}

/** The same timeout for headers as in Bun. */
const HEAD_MS = 10_000

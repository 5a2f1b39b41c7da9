import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { AnyElysia } from 'elysia'
import { requestOf } from './node-request.ts'
import { respond } from './node-response.ts'
import { isRewritten, withoutRoute } from './raw-path.ts'
import type { Place } from './serve.ts'

/** As much of Bun's server as we use. */
export type Listener = {
  readonly port: number
  requestIP(request: Request): { readonly address: string } | null
  /** Takes no more requests, and ends with the last of those under way; `cutOff`: with them, at once. */
  stop(cutOff?: boolean): Promise<void>
}

/** The app behind `node:http`, which Node and Deno have both; it answers there as it does on Bun, where Bun serves it. */
export const listen = async (app: AnyElysia, { host, port, idleS }: Required<Place>): Promise<Listener> => {
  const arrived = new WeakMap<Request, IncomingMessage>()
  /** Connections on which nothing was asked yet: a browser opens some ahead of time. */
  const silent = new Set<Socket>()
  const inTurn = openQueues()
  let stopping = false

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    silent.delete(incoming.socket)
    // Somebody who leaves is no fault, and a listener is what keeps it from being one.
    outgoing.on('error', () => {})
    outgoing.once('close', () => {
      if (stopping) incoming.socket.end()
      // What nobody has read of the body stands before the next request.
      else incoming.resume()
    })
    await inTurn(incoming.socket, outgoing)
    // It has left, or the answer before was the last one.
    if (!incoming.socket.writable) return
    try {
      const request = isRewritten(pathOf(incoming)) ? withoutRoute(requestOf(incoming)) : requestOf(incoming)
      arrived.set(request, incoming)
      await respond(await app.fetch(request), { outgoing, isHead: request.method === 'HEAD', isLast: () => stopping })
    } catch {
      // The app answers whatever happens to it: it is no request, or an answer has ended that was begun.
      outgoing.destroy()
    }
  }

  const idleMs = idleS * 1_000
  const times = { keepAliveTimeout: idleMs, headersTimeout: HEAD_MS, connectionsCheckingInterval: HEAD_MS / 4 }
  const server = createServer(times, answer)
  server.timeout = idleMs
  // Or whoever expects something that nobody knows would be refused.
  server.on('checkExpectation', answer)
  server.on('connection', socket => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.listen(port, host)
  // Rejects with what keeps it from listening.
  await once(server, 'listening')
  // A connection that could not be taken, where files have run out, is not the end of the others.
  server.on('error', () => {})

  return {
    port: Object(server.address()).port,
    requestIP: request => {
      const address = arrived.get(request)?.socket.remoteAddress
      return address === undefined ? null : { address }
    },
    stop: async cutOff => {
      stopping = true
      const closed = server.listening ? once(server, 'close') : undefined
      server.close()
      for (const socket of silent) socket.destroy()
      if (cutOff) server.closeAllConnections()
      await closed
    },
  }
}

/** As it was sent, without the query. */
const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/'

/**
 * Requests of one connection, one after the other. The parser hands over all that have arrived at once, thousands of
 * short ones: answers to whoever reads none would fill the memory.
 */
const openQueues = () => {
  const underWay = new WeakMap<Socket, Promise<void>>()
  return async (connection: Socket, outgoing: ServerResponse): Promise<void> => {
    const before = underWay.get(connection)
    underWay.set(connection, new Promise(resolve => outgoing.once('close', resolve)))
    await before
  }
}

/** As long as Bun waits for what comes before a body. */
const HEAD_MS = 10_000

import type { AnyElysia } from 'elysia'
import type { ListenOptions } from './node-listener.ts'
import { isRewrittenSegment, withoutRoute } from './raw-path.ts'
import {
  type AcceptSocket,
  acceptedBy,
  isUpgrade,
  MAX_CLIENT_MESSAGE_BYTES,
  SOCKET_IDLE_S,
  type SocketListener,
} from './sockets.ts'

/**
 * Serves the app with Bun. `Request.url` has only the parsed path. The router of Bun uses the path as it was sent, so it gets
 * one route for each number of segments that the routes of the app have.
 */
export const listenOnBun = (app: AnyElysia, { host, port, idleS }: Required<ListenOptions>) => {
  app.compile()
  const deepest = Math.max(...app.routes.map(({ path }) => path.split('/').length - 1), 1)
  const answer = (request: Bun.BunRequest, server: Bun.Server<Listened>) => {
    const asSent = isAsSent(request) ? request : withoutRoute(request)
    return isUpgrade(request.headers) ? answerUpgrade(request, app.fetch(asSent), server) : app.fetch(asSent)
  }
  const depths = Array.from({ length: deepest }, (_, n) => [pathOf(n + 1), answer] as const)
  return Bun.serve<Listened>({
    hostname: host,
    port,
    idleTimeout: idleS,
    routes: Object.fromEntries([['/', answer], ...depths]),
    // More segments than any route has, or an empty one.
    fetch: request => app.fetch(withoutRoute(request)),
    websocket,
    // Otherwise, without NODE_ENV, Bun shows information about the process at /bun:info.
    development: false,
    // Otherwise two servers on one port would each get half of the connections without an error.
    reusePort: false,
    // The size is checked where the body is read, so that the response is an error of the API.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  })
}

/** The listener is known when the WebSocket is open. */
type Listened = { readonly accept: AcceptSocket; listener?: SocketListener }

/** Returns nothing where the request has become a WebSocket. */
const answerUpgrade = async (
  request: Request,
  answer: Response | Promise<Response>,
  server: Bun.Server<Listened>,
): Promise<Response | undefined> => {
  const response = await answer
  const accept = acceptedBy(response)
  if (!accept) return response
  // Fails if the headers of the handshake are invalid.
  return server.upgrade(request, { data: { accept } }) ? undefined : new Response(null, { status: 400 })
}

const websocket: Bun.WebSocketHandler<Listened> = {
  idleTimeout: SOCKET_IDLE_S,
  maxPayloadLength: MAX_CLIENT_MESSAGE_BYTES,
  perMessageDeflate: false,
  open: ws => {
    ws.data.listener = ws.data.accept({
      // -1: sent later. 0: the WebSocket is closed.
      send: text => ws.send(text) > 0,
      close: (code, reason) => ws.close(code, reason),
    })
  },
  message: () => {},
  drain: ws => ws.data.listener?.onDrain(),
  close: ws => ws.data.listener?.onClose(),
}

/** `/:s0/:s1` for two segments. */
const pathOf = (segments: number): string => Array.from({ length: segments }, (_, n) => `/:s${n}`).join('')

const isAsSent = ({ params }: Bun.BunRequest): boolean => {
  const segments: Readonly<Record<string, string>> = params
  for (const name in segments) if (isRewrittenSegment(segments[name] ?? '')) return false
  return true
}

import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type AcceptSocket, acceptedBy, MAX_CLIENT_MESSAGE_BYTES, SOCKET_IDLE_S } from './sockets.ts'

export type UpgradeHandler = {
  /** Answers a request that asks for a WebSocket: opens it, or sends the response. */
  answer(incoming: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Cuts all WebSockets off. */
  stop(): void
}

/** WebSockets on Node and Deno, on the same listener as all requests. */
export const openUpgrades = (respond: (incoming: IncomingMessage) => Promise<Response>): UpgradeHandler => {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: MAX_CLIENT_MESSAGE_BYTES,
  })
  const answer = async (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const response = await respond(incoming)
    const accept = acceptedBy(response)
    if (accept) server.handleUpgrade(incoming, socket, head, ws => serveSocket(ws, accept))
    else socket.end(await textOfResponse(response))
  }
  return {
    answer: (incoming, socket, head) => {
      // A connection that breaks is not a fault, but without a listener the error would be thrown.
      socket.on('error', () => {})
      answer(incoming, socket, head).catch(() => socket.destroy())
    },
    stop: () => {
      for (const ws of server.clients) ws.terminate()
    },
  }
}

/** The client counts as slow while more than this has not been handed to the operating system. */
const MOST_BUFFERED_BYTES = 262_144

const serveSocket = (ws: WebSocket, accept: AcceptSocket): void => {
  let isFull = false
  const listener = accept({
    send: text => {
      ws.send(text, () => {
        if (!isFull || ws.bufferedAmount > MOST_BUFFERED_BYTES / 2) return
        isFull = false
        listener.onDrain()
      })
      isFull ||= ws.bufferedAmount > MOST_BUFFERED_BYTES
      return !isFull
    },
    close: (code, reason) => ws.close(code, reason),
  })
  const stopPings = terminateWhenSilent(ws)
  ws.on('error', () => {})
  ws.once('close', () => {
    stopPings()
    listener.onClose()
  })
}

/** A client that answers no ping is gone. Bun does the same by itself. */
const terminateWhenSilent = (ws: WebSocket): (() => void) => {
  let isAlive = true
  ws.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(
    () => {
      if (!isAlive) return ws.terminate()
      isAlive = false
      ws.ping(() => {})
    },
    (SOCKET_IDLE_S * 1_000) / 2,
  )
  return () => clearInterval(timer)
}

/** The connection is not used for another request. */
const textOfResponse = async (response: Response): Promise<string> => {
  const body = await response.text()
  const fields = [...response.headers].filter(([name]) => name !== 'connection')
  const head = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${new TextEncoder().encode(body).byteLength}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

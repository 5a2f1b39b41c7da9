/** An open WebSocket, on any runtime. Messages of the client are ignored. */
export type Socket = {
  /** Returns false if the client does not read fast enough: send no more until `onDrain`. */
  send(text: string): boolean
  close(code: number, reason: string): void
}

/** What is notified about a WebSocket. */
export type SocketListener = {
  /** The client has read what was sent. */
  onDrain(): void
  /** Called once. */
  onClose(): void
}

/** Called when the WebSocket is open. */
export type AcceptSocket = (socket: Socket) => SocketListener

/** The largest message of a client. Messages are ignored; a larger one closes the WebSocket. */
export const MAX_CLIENT_MESSAGE_BYTES = 65_536

/** A browser that does not answer a ping for so long is gone. */
export const SOCKET_IDLE_S = 120

/**
 * The response of a route that accepts a WebSocket. The listener opens the WebSocket in its place, since a Response cannot
 * have the status 101.
 */
export const upgradeResponse = (accept: AcceptSocket): Response => {
  const response = new Response(null, { status: 204 })
  accepted.set(response, accept)
  return response
}

/** Undefined for every other response. */
export const acceptedBy = (response: Response): AcceptSocket | undefined => accepted.get(response)

const accepted = new WeakMap<Response, AcceptSocket>()

/** Whether the request asks for a WebSocket. */
export const isUpgrade = (headers: Headers): boolean => headers.get('upgrade')?.toLowerCase() === 'websocket'

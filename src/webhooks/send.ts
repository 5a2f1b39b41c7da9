import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { WebhookTarget } from './target.ts'

/** One request to an address that was checked. */
export type Sending = {
  readonly target: WebhookTarget
  readonly address: string
  readonly agent: http.Agent
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string | Uint8Array
  /** The timeout of the connection if there is another address to try; undefined: that of the request. */
  readonly connectMs: number | undefined
}

/** A response counts as soon as its head is read. A body that is too long or breaks off changes nothing. */
export type WebhookResponse = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Uint8Array
}

export type SendFailure =
  /** No connection could be made, so nothing was sent. */
  'unreachable' | 'connection_failed' | 'tls_failed' | 'bad_response' | 'cut_off'

export type Exchange = { readonly answer: Promise<WebhookResponse | SendFailure>; readonly cut: () => void }

const MAX_RESPONSE_BYTES = 16_384
const MAX_HEAD_BYTES = 16_384
/** How much of the body is kept for the snippet. */
const KEPT_BYTES = 4_096
const MAX_INTERIM_RESPONSES = 20

/**
 * Never sends a request twice. A connection that breaks is a failed attempt, also a kept one that the receiver was just
 * closing, because it is unknown what the receiver has read.
 */
export const postOnce = ({ target, address, agent, headers, body, connectMs }: Sending): Exchange => {
  const { promise: answer, resolve: end } = Promise.withResolvers<WebhookResponse | SendFailure>()
  let head: IncomingMessage | undefined
  let kept: Uint8Array = nothing

  /** Settles the answer: with the response if its head was read, otherwise with the failure. */
  const close = (failure: SendFailure) =>
    end(head ? { status: head.statusCode ?? 0, headers: head.headers, body: kept } : failure)

  const abandon = (failure: SendFailure) => {
    close(failure)
    request.destroy()
  }

  const read = (response: IncomingMessage) => {
    head = response
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (kept.length < KEPT_BYTES)
        kept = (kept.length === 0 ? chunk : Buffer.concat([kept, chunk])).subarray(0, KEPT_BYTES)
      if (bytes > MAX_RESPONSE_BYTES) abandon('bad_response')
    })
    response.on('end', () => close('bad_response'))
    response.on('error', () => close('bad_response'))
    response.on('close', () => close('bad_response'))
  }

  const request = (target.secure ? https : http).request({
    agent,
    host: address,
    port: target.port,
    // Empty for an address: then the certificate must contain the address.
    servername: target.isAddress ? '' : target.name,
    method: 'POST',
    path: target.path,
    headers,
    setHost: false,
    maxHeaderSize: MAX_HEAD_BYTES,
  })
  const stage = followConnection(request, target.secure, connectMs, () => abandon('unreachable'))
  request.on('response', read)
  request.on('error', error => close(failureOf(error, stage())))
  request.on('upgrade', (response, socket) => {
    head = response
    close('bad_response')
    socket.destroy()
  })
  let interim = 0
  request.on('information', () => {
    if (++interim > MAX_INTERIM_RESPONSES) abandon('bad_response')
  })
  request.end(body)
  return { answer, cut: () => abandon('cut_off') }
}

const nothing = new Uint8Array()

type Stage = 'connecting' | 'handshake' | 'open'

/** Returns a function that returns the stage of the connection. A reused connection is `open`. */
const followConnection = (
  request: http.ClientRequest,
  secure: boolean,
  connectMs: number | undefined,
  late: () => void,
): (() => Stage) => {
  let stage: Stage = 'connecting'
  request.on('socket', socket => {
    if (!socket.connecting) {
      // If there is no route to the address, the socket is already destroyed here, before its error event.
      if (request.reusedSocket || !socket.destroyed) stage = 'open'
      return
    }
    const timer = connectMs === undefined ? undefined : setTimeout(late, connectMs)
    socket.once('connect', () => {
      clearTimeout(timer)
      stage = secure ? 'handshake' : 'open'
    })
    socket.once('secureConnect', () => {
      stage = 'open'
    })
    socket.once('close', () => clearTimeout(timer))
  })
  return () => stage
}

const failureOf = (error: NodeJS.ErrnoException, stage: Stage): SendFailure => {
  if (stage === 'connecting') return 'unreachable'
  if (error.code?.startsWith('HPE_')) return 'bad_response'
  // A connection that breaks during the handshake is not a TLS error.
  return stage === 'handshake' && !cutOff.has(error.code) ? 'tls_failed' : 'connection_failed'
}

const cutOff = new Set<string | undefined>(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'ERR_SOCKET_CLOSED'])

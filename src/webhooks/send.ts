import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { WebhookTarget } from './target.ts'

/** One request, to an address that was vetted. */
export type Sending = {
  readonly target: WebhookTarget
  readonly address: string
  readonly agent: http.Agent
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string | Uint8Array
  /** How long the connection may take, when there is another address to try; else as long as the request. */
  readonly connectMs: number | undefined
}

/** An answer counts from its head on: what comes of its body, and how that ends, changes nothing. */
export type WebhookResponse = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Uint8Array
}

export type SendFailure =
  /** There was no connection, so nothing was sent. */
  'unreachable' | 'connection_failed' | 'tls_failed' | 'bad_response' | 'cut_off'

export type Exchange = { readonly answer: Promise<WebhookResponse | SendFailure>; readonly cut: () => void }

const MOST_BODY_BYTES = 16_384
const MOST_HEAD_BYTES = 16_384
/** What is kept of the body, for people to read. */
const KEPT_BYTES = 4_096
const MOST_INTERIM_ANSWERS = 20

/**
 * Never sends twice: a connection that dies is a failed attempt, also a kept one that the receiver was just closing,
 * since nobody can tell then what it has read.
 */
export const postOnce = ({ target, address, agent, headers, body, connectMs }: Sending): Exchange => {
  const { promise: answer, resolve: end } = Promise.withResolvers<WebhookResponse | SendFailure>()
  let head: IncomingMessage | undefined
  let kept: Uint8Array = nothing

  /** What it comes to when it is over now. */
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
      if (bytes > MOST_BODY_BYTES) abandon('bad_response')
    })
    response.on('end', () => close('bad_response'))
    response.on('error', () => close('bad_response'))
    response.on('close', () => close('bad_response'))
  }

  const request = (target.secure ? https : http).request({
    agent,
    host: address,
    port: target.port,
    // No name for an address: then the certificate has to name the address.
    servername: target.isAddress ? '' : target.name,
    method: 'POST',
    path: target.path,
    headers,
    setHost: false,
    maxHeaderSize: MOST_HEAD_BYTES,
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
    if (++interim > MOST_INTERIM_ANSWERS) abandon('bad_response')
  })
  request.end(body)
  return { answer, cut: () => abandon('cut_off') }
}

const nothing = new Uint8Array()

type Stage = 'connecting' | 'handshake' | 'open'

/** How far the connection has come, of which nothing is to be said where a kept one is used. */
const followConnection = (
  request: http.ClientRequest,
  secure: boolean,
  connectMs: number | undefined,
  late: () => void,
): (() => Stage) => {
  let stage: Stage = 'connecting'
  request.on('socket', socket => {
    if (!socket.connecting) {
      // Where there is no way to an address, that is known before anybody listens.
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
  // A connection that is cut during the handshake is no complaint about a certificate.
  return stage === 'handshake' && !cutOff.has(error.code) ? 'tls_failed' : 'connection_failed'
}

const cutOff = new Set<string | undefined>(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'ERR_SOCKET_CLOSED'])

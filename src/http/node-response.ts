import type { ServerResponse } from 'node:http'
import { isStreamed } from './streamed.ts'

type To = {
  readonly outgoing: ServerResponse
  readonly isHead: boolean
  /** Whether the connection is closed after this response. */
  readonly isLast: () => boolean
}

/** Sends a response of the app: streams in pieces, everything else with Content-Length. */
export const respond = async (response: Response, { outgoing, isHead, isLast }: To): Promise<void> => {
  const isStream = isStreamed(response)
  const bytes = response.body && !isStream ? new Uint8Array(await response.arrayBuffer()) : undefined
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
  if (bytes) outgoing.setHeader('content-length', bytes.byteLength)
  if (isLast()) outgoing.setHeader('connection', 'close')
  if (response.body && isStream) await relay(response.body, outgoing)
  else outgoing.end(isHead ? undefined : bytes)
}

/** Reads the next piece when the last one was written. If the client has left, the stream is canceled. */
const relay = async (body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> => {
  const pieces = body.getReader()
  const { socket } = outgoing.req
  let wake = () => {}
  const drained = () => wake()
  const left = () => {
    // Ends a pending read.
    pieces.cancel().catch(() => {})
    wake()
  }
  socket.once('close', left)
  if (socket.destroyed) left()
  outgoing.on('drain', drained)
  outgoing.flushHeaders()
  try {
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
      if (outgoing.write(piece.value) || socket.destroyed) continue
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
    outgoing.end()
  } finally {
    socket.off('close', left)
    outgoing.off('drain', drained)
  }
}

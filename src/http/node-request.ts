import type { IncomingMessage } from 'node:http'
import { arrayBuffer } from 'node:stream/consumers'

/**
 * A request for the app. Not built with the constructor of Request, which rejects TRACE, URLs with an invalid host, and GET
 * with a body: all of these arrive and need a response.
 */
export const requestOf = (incoming: IncomingMessage): Request => {
  const { method = 'GET', url = '/', rawHeaders } = incoming
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  // Several Cookie headers are joined with a semicolon, which Deno's Headers do not do.
  if (incoming.headers.cookie !== undefined) headers.set('cookie', incoming.headers.cookie)
  const request = {
    method,
    headers,
    url: addressOf(headers.get('host') ?? '', url),
    get body() {
      const isThere = headers.has('content-length') || headers.has('transfer-encoding')
      return isThere ? bodyOf(incoming) : null
    },
    arrayBuffer: () => arrayBuffer(incoming),
  } satisfies Partial<Request>
  return request as unknown as Request
}

const bodyOf = (incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> => {
  // A reader that stops early is about to respond on the same connection.
  const pieces: AsyncIterator<Uint8Array<ArrayBuffer>> = incoming.iterator({ destroyOnReturn: false })
  return new ReadableStream(
    {
      pull: async controller => {
        const piece = await pieces.next()
        if (piece.done) controller.close()
        else controller.enqueue(piece.value)
      },
      cancel: async () => void (await pieces.return?.()),
    },
    { highWaterMark: 0 },
  )
}

/** As in Bun: only the request target if the host is invalid, or if the target is not a path. */
const addressOf = (host: string, target: string): string => {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  if (!path.startsWith('/') || !/^[\w.:[\]-]+$/.test(host)) return path
  const address = `http://${host}${path}`
  return URL.parse(address)?.href ?? address
}

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }

/** A status to respond with, a function that responds, or no response. */
export type Answering = number | 'silence' | ((response: ServerResponse, seen: number) => void)

/** A server on loopback that records its requests. */
export type Receiver = AsyncDisposable & {
  readonly url: string
  readonly seen: readonly Received[]
  /** From now on. */
  answer(answering: Answering): void
}

export const receiver = async (first: Answering = 200): Promise<Receiver> => {
  let answering = first
  const seen: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() })
      if (answering === 'silence') return
      if (typeof answering === 'number') response.writeHead(answering).end('thank you')
      else answering(response, seen.length)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hooks`,
    seen,
    answer: next => {
      answering = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

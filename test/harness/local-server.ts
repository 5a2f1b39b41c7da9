import { createServer, type RequestListener } from 'node:http'

export type LocalServer = AsyncDisposable & { readonly url: string }

/** An HTTP server on a free port of this machine. Its connections are closed with it. */
export const localServer = async (listener: RequestListener): Promise<LocalServer> => {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

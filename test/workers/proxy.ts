import { connect, createServer, type Socket } from 'node:net'

/** A proxy before the database that can fail as networks do: without closing anything. */
export type Proxy = AsyncDisposable & {
  readonly url: string
  /** From now on nothing passes in either direction, and no end is notified. */
  freeze(): void
}

export const proxy = async (databaseUrl: string): Promise<Proxy> => {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let frozen = false

  const forward = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', chunk => frozen || to.write(chunk))
    from.on('close', () => frozen || to.destroy())
    from.on('error', () => {})
  }

  const server = createServer(near => {
    const far = connect(Number(target.port), target.hostname)
    forward(near, far)
    forward(far, near)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' ? address?.port : '')

  return {
    url: url.href,
    freeze: () => {
      frozen = true
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

import { connect, createServer, type Socket } from 'node:net'

type Held = {
  lose(): void
  /** Passes the statement on after all. */
  deliver(): void
}

/** A path to a database that can be cut, on loopback. */
export const databaseProxy = async (databaseUrl: string) => {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  let answersUntilCut = Number.POSITIVE_INFINITY
  let answersUntilGarbled = Number.POSITIVE_INFINITY
  let silent = false
  /** The server does not hear that a client is gone. */
  let deaf = false
  let holding: { readonly asking: string; readonly held: (connection: Held) => void } | undefined

  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      if (silent) socket.pause()
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket)
        if (!deaf) cut()
      })
    }
    clients.add(client)
    client.on('close', () => clients.delete(client))
    client.on('data', chunk => {
      if (!holding || !chunk.includes(holding.asking)) return upstream.write(chunk)
      holding.held({ lose: () => client.resetAndDestroy(), deliver: () => upstream.write(chunk) })
      holding = undefined
    })
    upstream.on('data', chunk => {
      if (--answersUntilGarbled === 0) chunk[chunk.length - 1] = (chunk.at(-1) ?? 0) ^ 1
      if (--answersUntilCut > 0) client.write(chunk)
      else {
        answersUntilCut = Number.POSITIVE_INFINITY
        cut()
      }
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

  return {
    url: url.href,
    /** Swallows the n-th answer of the server from now and cuts its connection: what was asked is done, nobody is told. */
    cutInsteadOfAnswer: (n: number) => {
      answersUntilCut = n
    },
    /** Changes the last byte of the server's n-th answer from now: by TLS, its record fails its check. */
    garbleAnswer: (n: number) => {
      answersUntilGarbled = n
    },
    /** The next connection by which this is asked, with the question still on its way. */
    hold: (asking: string) =>
      new Promise<Held>(held => {
        holding = { asking, held }
      }),
    /** Nothing comes through, either way, until it does again: no end, no reset. */
    silence: (on: boolean) => {
      silent = on
      for (const socket of sockets) on ? socket.pause() : socket.resume()
    },
    /** The same to the connections that there are, for good; others may be opened. */
    stall: () => {
      for (const socket of sockets) socket.pause()
    },
    /** Every connection is lost at once, as when the other side's machine is. */
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    /** The same, and the server does not hear of it. */
    resetUnheard: async () => {
      deaf = true
      const lost = [...clients].map(client => new Promise(resolve => client.once('close', resolve)))
      for (const client of clients) client.resetAndDestroy()
      await Promise.all(lost)
      deaf = false
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

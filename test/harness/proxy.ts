import { connect, createServer, type Socket } from 'node:net'

type Held = {
  lose(): void
  /** The client loses its connection, and the server is not told. */
  loseUnheard(): Promise<void>
  /** Passes the statement on after all; resolves when the server has answered. */
  deliver(): Promise<void>
}

/** A path to a database that can be cut, on loopback. */
export const databaseProxy = async (databaseUrl: string) => {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let answersUntilCut = Number.POSITIVE_INFINITY
  let answersUntilGarbled = Number.POSITIVE_INFINITY
  let silent = false
  let holding: { readonly asking: string; readonly held: (connection: Held) => void } | undefined

  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    /** The server does not hear that its client is gone. */
    let isDeaf = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      if (silent) socket.pause()
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket)
        if (!isDeaf) cut()
      })
    }
    client.on('data', chunk => {
      if (!holding || !chunk.includes(holding.asking)) return upstream.write(chunk)
      holding.held({
        lose: () => client.resetAndDestroy(),
        loseUnheard: async () => {
          isDeaf = true
          const closed = new Promise(resolve => client.once('close', resolve))
          client.resetAndDestroy()
          await closed
        },
        deliver: async () => {
          const answered = new Promise(resolve => upstream.once('data', resolve))
          upstream.write(chunk)
          await answered
        },
      })
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
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

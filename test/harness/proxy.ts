import { connect, createServer, type Socket } from 'node:net'

type Held = {
  lose(): void
  /** The client loses its connection; the server's end stays open. */
  loseSilently(): Promise<void>
  /** Passes the statement on; resolves when the server has responded. */
  deliver(): Promise<void>
}

/** A proxy on loopback before a database, whose connections can be cut. */
export const databaseProxy = async (databaseUrl: string) => {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let answersUntilCut = Number.POSITIVE_INFINITY
  let answersUntilGarbled = Number.POSITIVE_INFINITY
  let blocked = false
  let holding: { readonly statementText: string; readonly held: (connection: Held) => void } | undefined

  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    /** Whether the server's end stays open when the client's closes. */
    let keepsUpstream = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      if (blocked) socket.pause()
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket)
        if (!keepsUpstream) cut()
      })
    }
    client.on('data', chunk => {
      if (!holding || !chunk.includes(holding.statementText)) return upstream.write(chunk)
      holding.held({
        lose: () => client.resetAndDestroy(),
        loseSilently: async () => {
          keepsUpstream = true
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
    /** Drops the n-th response of the server from now and cuts its connection: the statement was executed, the client gets no result. */
    cutInsteadOfAnswer: (n: number) => {
      answersUntilCut = n
    },
    /** Changes the last byte of the server's n-th response from now: with TLS, the check of its record fails. */
    garbleAnswer: (n: number) => {
      answersUntilGarbled = n
    },
    /** Holds the next statement with this text before it reaches the server. */
    hold: (statementText: string) =>
      new Promise<Held>(held => {
        holding = { statementText, held }
      }),
    /** Blocks all traffic in both directions until switched off; nothing is closed or reset. */
    silence: (on: boolean) => {
      blocked = on
      for (const socket of sockets) on ? socket.pause() : socket.resume()
    },
    /** Blocks the existing connections for good; new ones can be opened. */
    stall: () => {
      for (const socket of sockets) socket.pause()
    },
    /** Resets every connection, as when the other machine fails. */
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

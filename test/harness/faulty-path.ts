import { connect, createServer, type Socket } from 'node:net'

export type Path = Awaited<ReturnType<typeof openPath>>

/** Shorter chunks are no commits. */
const LONG = 500

type Armed = { after: number; readonly act: (connection: Connection, chunk: Buffer) => void }

/** A client's TCP connection and the matching connection to the server. */
type Connection = {
  readonly client: Socket
  readonly upstream: Socket
  /** The client has been reset, and the server has not noticed. */
  detached: boolean
}

/**
 * A TCP proxy on loopback before a database server, which damages traffic. It does not parse the protocol, so it
 * treats encrypted connections like others.
 */
export const openPath = async (databaseUrl: string, { tls }: { readonly tls: boolean }) => {
  const target = new URL(databaseUrl)
  const connections = new Set<Connection>()
  let silent = false
  let delayMs = 0
  let onAnswer: Armed | undefined
  let onRequest: Armed | undefined

  const server = createServer(client => {
    const connection: Connection = { client, upstream: connect(Number(target.port), target.hostname), detached: false }
    const { upstream } = connection
    connections.add(connection)
    const toUpstream = openPipe(upstream, () => delayMs)
    const toClient = openPipe(client, () => delayMs)
    for (const socket of [client, upstream]) {
      socket.setNoDelay()
      if (silent) socket.pause()
      socket.on('error', () => socket.destroy())
    }
    client.on('close', () => {
      if (!connection.detached) upstream.destroy()
    })
    upstream.on('close', () => {
      client.destroy()
      connections.delete(connection)
    })
    client.on('data', chunk => {
      if (connection.detached) return
      const armed = chunk.length >= LONG ? onRequest : undefined
      if (armed && --armed.after <= 0) {
        onRequest = undefined
        armed.act(connection, chunk)
      } else toUpstream(chunk)
    })
    upstream.on('data', chunk => {
      if (connection.detached) return
      if (onAnswer && --onAnswer.after <= 0) {
        const { act } = onAnswer
        onAnswer = undefined
        act(connection, chunk)
      } else toClient(chunk)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  if (tls) url.searchParams.set('sslmode', 'require')

  return {
    url: url.href,
    tls,
    /** Resets every connection at both ends. */
    reset: () => {
      for (const { client, upstream } of connections) {
        client.resetAndDestroy()
        upstream.resetAndDestroy()
      }
    },
    /** Blocks all traffic in both directions without closing anything. */
    silence: (on: boolean) => {
      silent = on
      for (const { client, upstream } of connections)
        for (const socket of [client, upstream]) on ? socket.pause() : socket.resume()
    },
    /** Blocks the existing connections until heal(); new connections work. */
    stall: () => {
      for (const { client, upstream } of connections) for (const socket of [client, upstream]) socket.pause()
    },
    /** Delays every packet by this time. */
    delay: (ms: number) => {
      delayMs = ms
    },
    /** Drops the n-th response from now with its connection. The statement was executed. */
    loseAnswer: (n: number) => {
      onAnswer = {
        after: n,
        act: ({ client, upstream }) => {
          client.resetAndDestroy()
          upstream.resetAndDestroy()
        },
      }
    },
    /** Changes a byte of the n-th response from now. Only on encrypted connections: others cannot detect it. */
    damageAnswer: (n: number) => {
      if (tls) onAnswer = { after: n, act: ({ client }, chunk) => client.write(damaged(chunk)) }
    },
    /** Changes a byte of the n-th long statement from now; the server then does not execute it. */
    damageRequest: (n: number) => {
      if (tls) onRequest = { after: n, act: ({ upstream }, chunk) => upstream.write(damaged(chunk)) }
    },
    /** Resets the client of the n-th long statement from now; the statement reaches the server `ms` later. */
    deliverLate: (n: number, ms: number) => {
      onRequest = {
        after: n,
        act: (connection, chunk) => {
          const { client, upstream } = connection
          connection.detached = true
          client.resetAndDestroy()
          setTimeout(() => upstream.write(chunk), ms)
          setTimeout(() => upstream.destroy(), ms + 5_000)
        },
      }
    },
    /** Ends all faults. Statements that were held back stay so. */
    heal: () => {
      silent = false
      delayMs = 0
      onAnswer = undefined
      onRequest = undefined
      for (const { client, upstream } of connections) for (const socket of [client, upstream]) socket.resume()
    },
    [Symbol.asyncDispose]: async () => {
      for (const { client, upstream } of connections) {
        client.destroy()
        upstream.destroy()
      }
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Writes in order; each chunk waits at least for the delay that is set when it arrives. */
const openPipe = (to: Socket, delayMs: () => number) => {
  const waiting: Buffer[] = []
  return (chunk: Buffer): void => {
    const ms = delayMs()
    if (ms === 0 && waiting.length === 0) {
      to.write(chunk)
      return
    }
    waiting.push(chunk)
    setTimeout(() => {
      const next = waiting.shift()
      if (next && !to.destroyed) to.write(next)
    }, ms)
  }
}

/** Changes a byte near the end: the beginning is the header of a TLS record, whose damage is another fault. */
const damaged = (chunk: Buffer): Buffer => {
  const copy = Buffer.from(chunk)
  const at = Math.max(0, copy.length - 3)
  copy[at] = (copy[at] ?? 0) ^ 0xff
  return copy
}

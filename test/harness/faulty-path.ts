import { connect, createServer, type Socket } from 'node:net'

export type Path = Awaited<ReturnType<typeof openPath>>

/** What is shorter is no commit. */
const LONG = 500

type Armed = { after: number; readonly act: (connection: Connection, chunk: Buffer) => void }

/** A TCP connection through the path, and the one to the server that belongs to it. */
type Connection = {
  readonly client: Socket
  readonly upstream: Socket
  /** The client is gone, and the server does not know. */
  detached: boolean
}

/**
 * A TCP proxy before a database server, on loopback, that damages what passes it. It understands nothing of the
 * protocol, so that it does to encrypted connections what it does to others.
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
    /** Every connection is lost, and both ends learn of it. */
    reset: () => {
      for (const { client, upstream } of connections) {
        client.resetAndDestroy()
        upstream.resetAndDestroy()
      }
    },
    /** Nothing passes, either way, and no end learns of it. */
    silence: (on: boolean) => {
      silent = on
      for (const { client, upstream } of connections)
        for (const socket of [client, upstream]) on ? socket.pause() : socket.resume()
    },
    /** The connections that there are pass nothing until they are healed; new ones do. */
    stall: () => {
      for (const { client, upstream } of connections) for (const socket of [client, upstream]) socket.pause()
    },
    /** Every packet takes this much longer. */
    delay: (ms: number) => {
      delayMs = ms
    },
    /** The n-th answer from now is lost, with its connection: what was asked was done. */
    loseAnswer: (n: number) => {
      onAnswer = {
        after: n,
        act: ({ client, upstream }) => {
          client.resetAndDestroy()
          upstream.resetAndDestroy()
        },
      }
    },
    /** A byte of the n-th answer from now is another one. For encrypted connections only: others cannot detect it. */
    damageAnswer: (n: number) => {
      if (tls) onAnswer = { after: n, act: ({ client }, chunk) => client.write(damaged(chunk)) }
    },
    /** The same of a statement, which the server then does not carry out. */
    damageRequest: (n: number) => {
      if (tls) onRequest = { after: n, act: ({ upstream }, chunk) => upstream.write(damaged(chunk)) }
    },
    /** The client of the n-th long statement from now is reset; the statement reaches the server after a while. */
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
    /** Statements that were held back stay so. */
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

/** Writes in order, each chunk after the delay that holds when it comes, or later. */
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

/** Near its end: the beginning is a record's header, which would be another fault. */
const damaged = (chunk: Buffer): Buffer => {
  const copy = Buffer.from(chunk)
  const at = Math.max(0, copy.length - 3)
  copy[at] = (copy[at] ?? 0) ^ 0xff
  return copy
}

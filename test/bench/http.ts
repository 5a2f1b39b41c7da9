/** Asks a server on this machine; answers the status. */
export type Ask = (request: string) => Promise<number>

/**
 * HTTP over connections that are kept, one for each caller. fetch keeps 64: of 256 callers' requests three
 * in five came by a new connection, and what it cost to open them was most of what was measured.
 */
export const openHttp = (url: string): Ask & AsyncDisposable => {
  const { hostname, port } = new URL(url)
  const idle: Connection[] = []
  const all: Connection[] = []
  const ask: Ask = async request => {
    const connection = idle.pop() ?? (await connect(hostname, Number(port), all))
    const status = await connection.ask(request)
    idle.push(connection)
    return status
  }
  return Object.assign(ask, {
    [Symbol.asyncDispose]: async () => {
      for (const connection of all) connection.end()
    },
  })
}

type Connection = { ask: Ask; end(): void }

const connect = async (hostname: string, port: number, all: Connection[]): Promise<Connection> => {
  let waiting: { resolve(status: number): void; reject(error: unknown): void } | undefined
  let arrived = ''
  const lose = (error: unknown) => waiting?.reject(error)
  const socket = await Bun.connect({
    hostname,
    port,
    socket: {
      binaryType: 'buffer',
      data: (_, bytes) => {
        arrived += bytes.toString('latin1')
        const status = wholeAnswer(arrived)
        if (status === undefined) return
        arrived = ''
        waiting?.resolve(status)
      },
      close: () => lose(new Error('the server closed the connection')),
      error: (_, error) => lose(error),
    },
  })
  const connection: Connection = {
    ask: request =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        const written = socket.write(request)
        if (written < request.length) reject(new Error('a request did not fit into the connection'))
      }),
    end: () => socket.end(),
  }
  all.push(connection)
  return connection
}

/** The status of an answer that has arrived to its last byte. */
const wholeAnswer = (text: string): number | undefined => {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const at = text.search(/\r\ncontent-length: /i)
  if (at < 0 || at > end) throw new Error('an answer came without its length')
  const length = Number.parseInt(text.slice(at + 18, end), 10)
  return text.length < end + 4 + length ? undefined : Number(text.slice(9, 12))
}

/** A request as it is written: ASCII alone, so that a character is a byte. */
export const postRequest = (path: string, secret: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

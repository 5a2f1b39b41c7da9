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
    // Servers end those that were idle for long.
    let connection = idle.pop()
    while (connection?.isClosed()) connection = idle.pop()
    connection ??= await connect(hostname, Number(port), all)
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

type Connection = { ask: Ask; isClosed(): boolean; end(): void }

const connect = async (hostname: string, port: number, all: Connection[]): Promise<Connection> => {
  let waiting: { resolve(status: number): void; reject(error: unknown): void } | undefined
  let arrived: Buffer | undefined
  let closed = false
  const lose = (error: unknown) => {
    closed = true
    waiting?.reject(error)
  }
  const socket = await Bun.connect({
    hostname,
    port,
    socket: {
      binaryType: 'buffer',
      data: (_, bytes) => {
        const answer = arrived ? Buffer.concat([arrived, bytes]) : bytes
        const status = wholeAnswer(answer)
        // What is given is only lent.
        arrived = status === undefined ? Buffer.from(answer) : undefined
        if (status !== undefined) waiting?.resolve(status)
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
    isClosed: () => closed,
    end: () => socket.end(),
  }
  all.push(connection)
  return connection
}

/**
 * The status of an answer that has arrived to its last byte. Looked for in the bytes, without making them a text:
 * who asks sits on the same cores as who answers.
 */
const wholeAnswer = (bytes: Buffer): number | undefined => {
  const end = bytes.indexOf(END)
  if (end < 0) return undefined
  const at = bytes.indexOf(LENGTH)
  if (at < 0 || at > end) throw new Error('an answer came without its length')
  const whole = end + END.length + numberAt(bytes, at + LENGTH.length)
  return bytes.length < whole ? undefined : numberAt(bytes, 'HTTP/1.1 '.length)
}

const END = Buffer.from('\r\n\r\n')
const LENGTH = Buffer.from('\r\nContent-Length: ')

const numberAt = (bytes: Buffer, start: number): number => {
  let number = 0
  for (let at = start; ; at++) {
    const digit = (bytes[at] ?? 0) - 48
    if (digit < 0 || digit > 9) return number
    number = number * 10 + digit
  }
}

/** A request as it is written: ASCII alone, so that a character is a byte. */
export const postRequest = (path: string, secret: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

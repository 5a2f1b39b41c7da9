import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { cert, key } from './certificate.ts'

/** What to do with a connection that was just made, or that has received a whole request. */
export type Behaviour = {
  readonly request?: (socket: Socket, request: string) => void
  readonly connection?: (socket: Socket) => void
}

/** A server on loopback with TLS or plain TCP, which sends any bytes that a test wants. */
export type RawReceiver = AsyncDisposable & {
  readonly port: number
  /** Head and body of each request. */
  readonly requests: readonly string[]
  /** Connections made so far, and those open now. */
  readonly connections: { made: number; open: number }
}

export const rawReceiver = async (
  { request, connection }: Behaviour,
  { secure = true, at = '127.0.0.1' } = {},
): Promise<RawReceiver> => {
  const requests: string[] = []
  const connections = { made: 0, open: 0 }
  const sockets = new Set<Socket>()
  const serve = (socket: Socket) => {
    connections.made++
    connections.open++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      connections.open--
      sockets.delete(socket)
    })
    connection?.(socket)
    let text = ''
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      for (let end = endOfRequest(text); end !== undefined; end = endOfRequest(text)) {
        requests.push(text.slice(0, end))
        text = text.slice(end)
        request?.(socket, requests.at(-1) ?? '')
      }
    })
  }
  const server: Server = secure ? createTlsServer({ key, cert }, serve) : createTcpServer(serve)
  // Errors of clients that do not trust the certificate.
  server.on('tlsClientError', () => {})
  await new Promise<void>(resolve => server.listen(0, at, resolve))
  return {
    port: Object(server.address()).port,
    requests,
    connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const endOfRequest = (text: string): number | undefined => {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const end = head + 4 + Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0)
  return text.length < end ? undefined : end
}

/** A whole response. */
export const answer = (status: number, body = '', headers = ''): string =>
  `HTTP/1.1 ${status} Whatever\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Writes a beginning, and then the same chunk as long as it is read. */
export const endlessly = (socket: Socket, text: string, beginning = ''): void => {
  socket.write(beginning)
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on('drain', write)
  write()
}

/** Writes a beginning, and then one byte at a time. */
export const drip = (socket: Socket, text: string, beginning = ''): void => {
  socket.write(beginning)
  let at = 0
  const timer = setInterval(() => {
    if (at < text.length) socket.write(text[at++] ?? '')
  }, 20)
  socket.on('close', () => clearInterval(timer))
}

/** A port on which nothing listens. */
export const closedPort = async (): Promise<number> => {
  await using receiver = await rawReceiver({}, { secure: false })
  return receiver.port
}

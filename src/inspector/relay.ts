import { randomBytes, timingSafeEqual } from 'node:crypto'
import { relayPage } from './relay-page.ts'

export type Relay = {
  /** Can be opened once. */
  readonly address: string
  /** Cuts every connection off. */
  stop(): Promise<void>
}

type RelayOptions = {
  /** 0 for any unused port. */
  readonly port: number
  /** The address of the inspector's page. */
  readonly inspector: string
  /** Makes an address of a WebSocket of the server. */
  readonly createAddress: () => Promise<string>
  readonly say: (line: string) => void
}

/** A browser that is further behind is disconnected, and connects again. */
const MOST_BUFFERED_BYTES = 16_777_216

const TRY_AGAIN_LATER = 1013

/**
 * Serves the page of the inspector on loopback, and passes on what the server sends to it. The token of the address is valid
 * once; the page has a key for its WebSocket. Each WebSocket of the page is one of the server's, so nothing is kept here.
 */
export const openRelay = ({ port, inspector, createAddress, say }: RelayOptions): Relay => {
  let token: string | undefined = newSecret()
  const key = newSecret()

  const answer = (request: Request, server: Bun.Server<Upstream>): Response | undefined => {
    const { host, pathname, searchParams } = new URL(request.url)
    // Another name that leads here would make this page part of another site.
    if (request.headers.get('host') !== `127.0.0.1:${server.port}`) return refused(403, 'Wrong host')
    if (pathname === '/feed') {
      const origin = request.headers.get('origin')
      if (origin !== null && origin !== `http://${host}`) return refused(403, 'Wrong origin')
      if (!isSame(searchParams.get('key'), key)) return refused(403, 'Wrong key')
      return server.upgrade(request, { data: {} }) ? undefined : refused(400, 'Not a WebSocket')
    }
    if (pathname !== '/') return refused(404, 'Not found')
    if (token === undefined || !isSame(searchParams.get('token'), token))
      return refused(403, 'The address was opened before, or is not complete. Start the program again.')
    token = undefined
    return relayPage({ inspector, host, key, nonce: newSecret() })
  }

  const connect = async (page: Bun.ServerWebSocket<Upstream>): Promise<void> => {
    const upstream = new WebSocket(await createAddress())
    page.data.socket = upstream
    if (page.readyState !== WebSocket.OPEN) return upstream.close()
    upstream.onopen = () => say('Connected')
    upstream.onmessage = ({ data }) => {
      page.send(String(data))
      if (page.getBufferedAmount() > MOST_BUFFERED_BYTES)
        page.close(TRY_AGAIN_LATER, 'The page does not read fast enough.')
    }
    upstream.onclose = () => page.close(TRY_AGAIN_LATER, 'The server has closed the connection.')
  }

  const server = Bun.serve<Upstream>({
    hostname: '127.0.0.1',
    port,
    fetch: answer,
    development: false,
    websocket: {
      maxPayloadLength: 1_024,
      open: page =>
        void connect(page).catch(error => {
          say(error instanceof Error ? error.message : 'The server does not answer')
          page.close(TRY_AGAIN_LATER, 'The server does not answer.')
        }),
      message: () => {},
      close: page => page.data.socket?.close(),
    },
  })
  return {
    address: `http://127.0.0.1:${server.port}/?token=${token}`,
    stop: () => server.stop(true),
  }
}

/** The WebSocket of the server that belongs to one of the page. */
type Upstream = { socket?: WebSocket }

const newSecret = (): string => randomBytes(32).toString('base64url')

const isSame = (given: string | null, wanted: string): boolean => {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const refused = (status: number, text: string): Response => new Response(`${text}\n`, { status })

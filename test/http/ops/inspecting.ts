import { once } from 'node:events'
import { connect } from 'node:net'
import { createWebSocketReceiver } from '@statelyai/inspect'
import type { Sql } from '../../../src/postgres/connect.ts'
import type { ApiServer } from '../../harness/api.ts'

export type Message = {
  readonly type: string
  readonly sessionId: string
  readonly name?: string
  readonly id: string
  readonly definition?: string
  readonly parentId?: string
  readonly snapshot?: { readonly status: string; readonly value: string; readonly context: object }
  readonly event?: { readonly type: string }
  readonly sourceId?: string
}

export const createTicket = async (server: Pick<ApiServer, 'call'>, bearer: string): Promise<string> => {
  const { json } = await server.call('POST', '/v1/ops/tickets', { bearer })
  return (json as { ticket: string }).ticket
}

export const inspectUrl = ({ url }: Pick<ApiServer, 'url'>, ticket: string, query = ''): string =>
  `${url.replace(/^http/, 'ws')}/v1/ops/inspect?ticket=${ticket}${query}`

/** The messages that the package's own receiver gets. It cannot be closed: the server closes it when it stops. */
export const receive = async (server: ApiServer, bearer: string, query = ''): Promise<readonly Message[]> => {
  const messages: Message[] = []
  const receiver = createWebSocketReceiver({ server: inspectUrl(server, await createTicket(server, bearer), query) })
  receiver.subscribe(message => void messages.push(message as unknown as Message))
  return messages
}

/** Without the package. Resolves when it is open. */
export const openSocket = async (server: ApiServer, bearer: string, query = '') => {
  const socket = new WebSocket(inspectUrl(server, await createTicket(server, bearer), query))
  const messages: Message[] = []
  socket.onmessage = ({ data }) => void messages.push(JSON.parse(String(data)))
  const closed = new Promise<number>(resolve => {
    socket.onclose = ({ code }) => resolve(code)
  })
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  return { socket, messages, closed }
}

/** One line for each message. */
export const linesOf = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ type, sessionId, name, event, snapshot }) =>
    [type.replace('@xstate.', ''), name ?? sessionId, event?.type, snapshot?.value].filter(Boolean).join(' '),
  )

/** A client that reads nothing after the handshake until its close code is asked for. */
export const stalledSocket = async (server: Pick<ApiServer, 'call' | 'url'>, bearer: string, query: string) => {
  const { host, hostname, port, pathname, search } = new URL(
    inspectUrl(server, await createTicket(server, bearer), query).replace('ws', 'http'),
  )
  const socket = connect(Number(port), hostname)
  const fields = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${fields.join('\r\n')}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  await once(socket, 'readable')
  socket.pause()
  return {
    /** Reads everything up to the end of the connection. The last frame is the close frame. */
    closeCode: async (): Promise<number> => {
      let end = Buffer.alloc(0)
      // 0x88: a close frame that is not masked; its length; the code and the reason.
      const reasonAt = () => end.lastIndexOf(Buffer.from('The client does not read'))
      socket.on('data', bytes => {
        end = Buffer.concat([end, bytes]).subarray(-4_096)
        // The server waits for the client, some for half a minute.
        if (reasonAt() >= 0) socket.end()
      })
      socket.resume()
      await once(socket, 'close')
      const at = reasonAt()
      return at < 2 ? 0 : end.readUInt16BE(at - 2)
    },
  }
}

/** Four thousand transitions of an actor, so large that the buffers of the operating system are full after some of them. */
export const insertLargeTransitions = async (
  sql: Sql,
  { actor, kind, state }: Record<'actor' | 'kind' | 'state', string>,
) => {
  for (let from = 3; from < 4_003; from += 1_000)
    await sql`
      insert into transitions (actor, command, at, actor_created_at, era, rev, keyed, kind, event, from_state, to_state, context)
      select ${actor}, gen_random_uuid(), now(), now(), current_era(), n, false, ${kind}, 'x', ${state}, ${state},
        json_build_object('filler', repeat('x', 20000))
      from generate_series(${from}::integer, ${from}::integer + 999) n`
}

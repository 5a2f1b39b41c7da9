import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openStreams } from '../../src/http/checkout-streams.ts'

/**
 * Streams of something that changes with every look, as Node or Deno serves them. Prints its port. `/stream` is
 * one, `/looks` says how often somebody has looked by now, and `/stop` ends them all.
 */
let looks = 0
const seen = () => {
  const id = String(looks)
  return { key: id, say: () => ({ id, data: JSON.stringify({ looks: Number(id) }) }) }
}
const streams = openStreams({
  look: async ids => {
    looks++
    return new Map(ids.map(id => [id, seen()]))
  },
  log: console,
  everyMs: 20,
})

const answer = (request: Request): Response => {
  const { pathname } = new URL(request.url)
  const to = { group: undefined, lastId: request.headers.get('last-event-id') }
  if (pathname === '/stream')
    return new Response(streams.open('one', seen(), to), { headers: { 'content-type': 'text/event-stream' } })
  if (pathname === '/stop') streams.stop()
  return new Response(String(looks))
}

type Deno = {
  serve(
    options: { hostname: string; port: number; onListen(at: { port: number }): void },
    handle: typeof answer,
  ): unknown
}
const { Deno } = globalThis as { Deno?: Deno }

if (Deno) Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: ({ port }) => console.log(port) }, answer)
else {
  const server = createServer((request, response) => {
    const { status, headers, body } = answer(
      new Request(`http://localhost${request.url}`, { headers: request.headers as Record<string, string> }),
    )
    response.writeHead(status, Object.fromEntries(headers))
    // As whoever serves web streams on Node does it: a client that goes away cancels the stream.
    if (body) pipeline(Readable.fromWeb(body as never), response).catch(() => {})
    else response.end()
  })
  server.listen(0, '127.0.0.1', () => console.log(Object(server.address()).port))
}

import type { AnyElysia } from 'elysia'
import { openStreams } from '../../src/http/checkout-streams.ts'
import { listen } from '../../src/http/node-listener.ts'
import { streamed } from '../../src/http/streamed.ts'

/**
 * Streams of a value that changes with every query, served by Node or Deno. Prints its port. `/stream` is one, `/looks`
 * returns the number of queries so far, and `/stop` ends all streams. `/flood` is an endless one; `/flooded` returns how
 * often it was started, how many of its megabytes were pulled, and whether it was canceled. `/cookies` sets two cookies.
 */
let looks = 0
const seen = () => {
  const id = String(looks)
  return { rev: looks, key: id, say: () => ({ id, data: JSON.stringify({ looks: Number(id) }) }) }
}
const streams = openStreams({
  look: async revisions => {
    looks++
    return new Map([...revisions.keys()].map(id => [id, seen()]))
  },
  log: console,
  everyMs: 20,
})

const flooded = { begun: 0, megabytes: 0, left: 0 }
const flood = () => {
  flooded.begun++
  return new ReadableStream(
    {
      pull: controller => {
        flooded.megabytes++
        controller.enqueue(new Uint8Array(2 ** 20))
      },
      cancel: () => {
        flooded.left++
      },
    },
    { highWaterMark: 0 },
  )
}

const EVENTS = { headers: { 'content-type': 'text/event-stream' } }
const answers: Readonly<Record<string, (request: Request) => Response>> = {
  '/stream': ({ headers }) =>
    streamed(
      new Response(streams.open('one', seen(), { origin: undefined, lastId: headers.get('last-event-id') }), EVENTS),
    ),
  '/looks': () => new Response(String(looks)),
  '/stop': () => {
    streams.stop()
    return new Response()
  },
  '/flood': () => streamed(new Response(flood(), EVENTS)),
  '/flooded': () => Response.json(flooded),
  '/cookies': () =>
    new Response('', {
      headers: [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ],
    }),
}
const fetch = (request: Request) =>
  answers[new URL(request.url).pathname]?.(request) ?? new Response('', { status: 404 })

// Only its responses are used.
const { port } = await listen({ fetch } as unknown as AnyElysia, { host: '127.0.0.1', port: 0, idleS: 60 })
console.log(port)

import type { AnyElysia } from 'elysia'
import { openStreams } from '../../src/http/checkout-streams.ts'
import { listen } from '../../src/http/node-listener.ts'

/**
 * Streams of something that changes with every look, as Node or Deno serves them. Prints its port. `/stream` is
 * one, `/looks` says how often somebody has looked by now, and `/stop` ends them all. `/flood` is one that has always
 * more to say, `/flooded` how often it was begun, how many of its megabytes were asked for and whether it was left, and
 * `/cookies` sets two.
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
    new Response(streams.open('one', seen(), { origin: undefined, lastId: headers.get('last-event-id') }), EVENTS),
  '/looks': () => new Response(String(looks)),
  '/stop': () => {
    streams.stop()
    return new Response()
  },
  '/flood': () => new Response(flood(), EVENTS),
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

// Of the app no more is asked for than that it answers.
const { port } = await listen({ fetch } as unknown as AnyElysia, { host: '127.0.0.1', port: 0, idleS: 60 })
console.log(port)

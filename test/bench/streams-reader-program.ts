import { heapStats } from 'bun:jsc'
import { setTimeout as sleep } from 'node:timers/promises'
import { readEvents } from '../../src/web/api/sse.ts'

/**
 * A client of a stream, with the parser of the dashboard: `bun streams-reader-program.ts <file>`. It reconnects with the ID
 * of its last message, and appends every message with the time of its arrival to the file. Prints the port of its controls.
 */
const [file = ''] = process.argv.slice(2)
const out = Bun.file(file).writer({ highWaterMark: 1 << 20 })
const RECONNECT_MS = 200

const counts = { messages: 0, connections: 0, resets: 0 }
let lastId = ''
let leaving: AbortController | undefined

type Target = { readonly url: string; readonly bearer: string }

const read = async ({ url, bearer }: Target, signal: AbortSignal, opened: () => void): Promise<void> => {
  const headers = { authorization: `Bearer ${bearer}`, ...(lastId && { 'last-event-id': lastId }) }
  const response = await fetch(url, { headers, signal })
  if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`)
  counts.connections++
  opened()
  for await (const message of readEvents(response.body)) {
    if (!message) continue
    const at = (performance.timeOrigin + performance.now()).toFixed(2)
    // A message without an ID of its own has that of the one before.
    const id = message.id === lastId ? '' : message.id
    if (message.event === 'reset') counts.resets++
    else out.write(`${at}\t${counts.connections}\t${id}\t${message.data}\n`)
    lastId = message.id
    counts.messages++
  }
}

const follow = async (target: Target, signal: AbortSignal, opened: () => void): Promise<void> => {
  while (!signal.aborted) {
    await read(target, signal, opened).catch(() => {})
    if (!signal.aborted) await sleep(RECONNECT_MS)
  }
}

const controls = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  routes: {
    '/open': async request => {
      const target = (await request.json()) as Target
      // A new client, which begins with the changes from now on.
      lastId = ''
      leaving = new AbortController()
      const { signal } = leaving
      await new Promise<void>(opened => void follow(target, signal, opened))
      return new Response()
    },
    '/close': () => {
      leaving?.abort()
      return new Response()
    },
    '/counts': async () => {
      await out.flush()
      return Response.json({ ...counts, lastId })
    },
    '/memory': () => {
      const { rss } = process.memoryUsage()
      Bun.gc(true)
      return Response.json({ rss: rss / 2 ** 20, heap: heapStats().heapSize / 2 ** 20 })
    },
  },
})
console.log(controls.port)

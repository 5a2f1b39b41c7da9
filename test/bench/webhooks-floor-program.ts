import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostOf, objectOf, openRequests, pathOf } from './webhooks-request.ts'

/**
 * The least that a sender could do: `bun webhooks-floor-program.ts <port>` prints its own port, and
 * /run?endpoints=20&forMs=3000 there returns the requests per second of a warm loop of 64.
 */
const CONCURRENCY = 64
const request = openRequests(Number(process.argv[2]))
const body = `{"id":"${randomUUID()}","type":"payment.created","created":1795000000,"livemode":false,"api_version":"2026-11-20","data":{"object":${objectOf()}}}`

const run = async (endpoints: number, forMs: number): Promise<number> => {
  let done = 0
  let turn = 0
  let stopping = false
  const one = async (): Promise<void> => {
    while (!stopping) {
      const status = await request({ host: hostOf(turn++ % endpoints), path: pathOf(), id: randomUUID(), body })
      if (status !== 200) throw new Error(`a receiver answered ${status}`)
      done++
    }
  }
  const running = Promise.all(Array.from({ length: CONCURRENCY }, one))
  await Promise.race([sleep(forMs / 3), running])
  const before = { done, at: performance.now() }
  await Promise.race([sleep(forMs), running])
  const perSecond = ((done - before.done) / (performance.now() - before.at)) * 1_000
  stopping = true
  await running
  return perSecond
}

const control = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  routes: {
    '/run': async ({ url }) => {
      const { searchParams } = new URL(url)
      const perSecond = await run(Number(searchParams.get('endpoints')), Number(searchParams.get('forMs')))
      return Response.json({ perSecond })
    },
  },
})
console.log(JSON.stringify({ control: control.port }))

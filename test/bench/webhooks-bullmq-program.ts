import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { hostOf, objectOf, openRequests, pathOf, type Requested } from './webhooks-request.ts'

/**
 * The peer: a job per delivery, whose result is stored. `bun webhooks-bullmq-program.ts <redis port>
 * <receivers' port> <options as JSON>` adds the jobs, runs them, and prints how many per second were completed.
 */
const [redisPort = '', port = '', options = '{}'] = process.argv.slice(2)
const { jobs, concurrency, endpoints, everySilent, forMs } = JSON.parse(options) as BullmqOptions

export type BullmqOptions = {
  readonly jobs: number
  readonly concurrency: number
  readonly endpoints: number
  /** One in so many jobs goes to a receiver that never responds. */
  readonly everySilent?: number
  /** Ends when all jobs are done, or after this time. */
  readonly forMs?: number
}

const TIMEOUT_MS = 15_000
const connection = { host: '127.0.0.1', port: Number(redisPort), maxRetriesPerRequest: null }
const request = openRequests(Number(port))
const queue = new Queue(`deliveries-${randomUUID()}`, { connection })
const body = `{"id":"${randomUUID()}","type":"payment.created","created":1795000000,"livemode":false,"api_version":"2026-11-20","data":{"object":${objectOf()}}}`

const jobOf = (n: number): Requested => {
  const silent = everySilent !== undefined && n % everySilent === 0
  return { host: hostOf(silent ? 0 : n % endpoints, silent), path: pathOf(silent), id: randomUUID(), body }
}
for (let at = 0; at < jobs; at += 1_000) {
  const some = Array.from({ length: Math.min(1_000, jobs - at) }, (_, n) => jobOf(at + n))
  await queue.addBulk(some.map(data => ({ name: 'deliver', data, opts: { attempts: 5, backoff: TIMEOUT_MS } })))
}

const marks: { at: number; done: number }[] = []
const worker = new Worker<Requested>(
  queue.name,
  async ({ data }) => {
    const began = performance.now()
    const status = await request(data, TIMEOUT_MS)
    return { outcome: 'delivered', httpStatus: status, durationMs: Math.round(performance.now() - began) }
  },
  { connection, concurrency },
)
let done = 0
worker.on('completed', () => marks.push({ at: performance.now(), done: ++done }))
worker.on('error', error => console.error(error))

const began = performance.now()
while (done < jobs && performance.now() - began < (forMs ?? 120_000)) await sleep(20)
// Over the whole time if it is given; else between warming up and the end of the queue.
const first = marks[Math.floor(jobs * 0.25)]
const last = marks[Math.floor(jobs * 0.9)]
const steady = first && last ? ((last.done - first.done) / (last.at - first.at)) * 1_000 : Number.NaN
const perSecond = forMs === undefined ? steady : (done / (performance.now() - began)) * 1_000
const completed = await queue.getCompletedCount()
if (completed < done) throw new Error(`${completed} results are stored of ${done} jobs`)
console.log(JSON.stringify({ perSecond, done }))
process.exit(0)

import { expect, test } from 'bun:test'
import { liveWorkers } from '../../src/workers/queries.ts'
import { openWatchdog } from '../../src/workers/watchdog.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { expectClean } from './clean.ts'
import { proxy } from './proxy.ts'
import { addRuns, countJobs, countRuns, createRuns, workerProcess } from './worker-process.ts'

const paths = [
  {
    when: 'soon, when configured so',
    options: { heartbeatMs: 200, deadAfterMs: 2_000, watchdogMs: 3_000 },
    fromMs: 2_500,
    toMs: 5_000,
  },
  // A heartbeat per second, and a fifteenth of the time between two checks of the responses.
  { when: 'after 15 s by default', options: {}, fromMs: 13_500, toMs: 19_000 },
]

for (const { when, options, fromMs, toMs } of paths) {
  test.concurrent(`a worker without responses from the database ends itself ${when}, and another one runs its jobs`, async () => {
    await using db = await database()
    const { sql } = db
    await createRuns(sql)
    await using path = await proxy(db.url)
    await using cut = workerProcess(path.url, options)
    await addRuns(sql, 30, 500)
    await until(async () => (await countRuns(sql, 'begun')) > 0)
    await using _other = workerProcess(db.url, options)
    await until(async () => (await liveWorkers(sql)).length === 2)

    path.freeze()
    const frozenAt = performance.now()
    expect(await cut.exited).toEqual({ code: 1, signal: null })
    const tookMs = performance.now() - frozenAt
    console.log(`ended ${Math.round(tookMs)} ms after the path broke`)
    expect(tookMs).toBeGreaterThan(fromMs)
    expect(tookMs).toBeLessThan(toMs)
    expect(cut.log()).toContain('"level":60')
    await until(async () => (await countJobs(sql)) === 0, { timeoutMs: 90_000 })
    expect(await countRuns(sql, 'done')).toBe(30)
    await expectClean(sql)
  }, 180_000)
}

test('a refusal of the database counts as a response', async () => {
  let ended = 0
  const watchdog = openWatchdog({ limitMs: 100, end: () => ended++ })
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  const startedAt = performance.now()
  while (performance.now() - startedAt < 300) {
    const question = new Promise((_, reject) => setTimeout(reject, 20, refused))
    await expect(watchdog.watch(question)).rejects.toBe(refused)
  }
  expect(ended).toBe(0)
  watchdog.stop()
})

test('failing to connect counts as no response, and so does a query without one', async () => {
  for (const failure of [Object.assign(new Error('timeout'), { code: 'CONNECT_TIMEOUT' }), undefined]) {
    let ended = 0
    const watchdog = openWatchdog({ limitMs: 100, end: () => ended++ })
    const ask = (): Promise<unknown> =>
      watchdog.watch(new Promise((_, reject) => failure && setTimeout(reject, 20, failure))).catch(() => ended || ask())
    void ask()
    await until(() => ended === 1)
  }
})

test('time in which the event loop was blocked does not count', async () => {
  let ended = 0
  const watchdog = openWatchdog({ limitMs: 200, end: () => ended++ })
  const question = watchdog.watch(new Promise(resolve => setTimeout(resolve, 20)))
  const until = performance.now() + 500
  while (performance.now() < until);
  await question
  expect(ended).toBe(0)
  watchdog.stop()
})

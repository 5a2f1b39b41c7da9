import { expect, test } from 'bun:test'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'
import { measureWebhooks } from './webhooks.ts'

test('the webhooks bench runs, and its work is done', async () => {
  await using server = await openServer()
  const report = openReport()
  const bench = { quick: true, server, report, print: (l: string) => console.log(performance.now() | 0, l) }
  await measureWebhooks(bench, {
    rounds: 1,
    backlog: 150,
    backlogOfOne: 60,
    peerJobs: 0,
    floorMs: 50,
    silentMs: 300,
    silentBacklog: 80,
    single: 3,
    singleLost: 2,
    crowd: 10,
    perSecond: 50,
    fromMs: 300,
    aloneMs: 600,
    besideMs: 600,
    crowdBacklog: 80,
    silentBacklogOfCrowd: 20,
    pending: 1_200,
    fewPending: 400,
    claims: 2,
    kills: 1,
    killEveryMs: 50,
    killBacklog: 200,
    waitsForLease: false,
  })
  // A test does not judge how fast this machine is.
  expect(report.lines.map(line => line.replace(/^(kept|missed) /, '').replace(/: .*/, ''))).toEqual([
    'commit to first byte, idle, 3 events committed by the process that sends, p50',
    'commit to first byte, idle, 3 events committed by the process that sends, p99',
    'commit to first byte, idle, 3 events committed by another process, p50',
    'commit to first byte, idle, 3 events committed by another process, p99',
    'commit to first byte, idle, wake-up lost, 2 events',
    '20 endpoints against a bare loop of the same requests',
    'one endpoint against a bare loop of the same requests',
    'skipped 20 endpoints against BullMQ with a Redis that syncs always',
    'skipped one delivery in 20 to a silent endpoint against BullMQ',
    '10 endpoints beside 10 silent ones, 50 events a second to each kind, p95',
    '10 endpoints beside 10 silent ones, throughput from the third second against alone',
    'a claim of 1,200 pending deliveries against 400',
    'a claim of 1,200 pending deliveries against 400, with an idle transaction',
    '3 workers and 1 kills under load, every event delivered',
    '3 workers and 1 kills under load, the highest number of an attempt',
    '3 workers and 1 kills under load, requests against recorded attempts',
  ])
}, 180_000)

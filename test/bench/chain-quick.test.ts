import { expect, test } from 'bun:test'
import { measureChain } from './chain.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test('the chain bench runs, and its work is done', async () => {
  await using server = await openServer()
  const report = openReport()
  const bench = { quick: true, server, report, print: () => {} }
  await measureChain(bench, {
    rounds: 1,
    peerRounds: 0,
    blocks: 300,
    transfers: 30,
    coins: 10,
    waiting: 200,
    fewWaiting: 10,
    watchedBlocks: 3,
    strangers: 20,
    burst: 40,
    single: 3,
    singleFloor: 2,
    pollMs: 20,
    collected: 20,
  })
  // A test does not judge how fast this machine is.
  expect(report.lines.map(line => line.replace(/^(kept|missed) /, '').replace(/: .*/, ''))).toEqual([
    'gas for each of 20 new addresses, collected in one transaction',
    'catch-up with every header against a raw batch loop of the same calls',
    'catch-up with every header against viem, batched, by the same calls',
    'skipped catch-up by final ranges against ponder without its limit',
    'skipped catch-up with every header against ponder without its limit',
    'a block with 20 transfers to strangers, 200 payments waiting against 10',
    'mined to committed, 3 payments, a poll every 20 ms, p50',
    'mined to committed, 3 payments, a poll every 20 ms, p99',
    '40 payments in one block, until all are processing',
    '40 payments in one block, until all are processing, all on one link',
  ])
}, 180_000)

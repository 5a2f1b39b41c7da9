import { expect, test } from 'bun:test'
import { measureApi } from './api.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test('the api bench runs, and its work is done', async () => {
  await using server = await openServer()
  const report = openReport()
  const bench = { quick: true, server, report, print: () => {} }
  await measureApi(bench, {
    rounds: 1,
    pairs: 2,
    sliceMs: 20,
    payments: 100,
    events: 4_000,
    merchants: 8,
    fewEvents: 1_000,
    fewMerchants: 2,
    readers: 2,
    linksMs: 50,
  })
  // A test does not judge how fast this machine is.
  expect(report.lines.map(line => line.replace(/^(kept|missed) /, '').replace(/: .*/, ''))).toEqual([
    'a payment read with a key against a bare handler with the same select, callers 32',
    'a payment read with a key against a bare handler with the same select, callers 1',
    "links made over HTTP against the core's own rate, callers 32",
    "links made over HTTP against the core's own rate, callers 256",
    'a page of 100 of 4,000 events of 8 merchants against 1,000 events of 2 merchants',
    'a page of 100 of one type of 4,000 events of 8 merchants against 1,000 events of 2 merchants',
  ])
}, 180_000)

import { expect, test } from 'bun:test'
import { openReport } from './promises.ts'
import { measureRetention } from './retention.ts'
import { openServer } from './server.ts'

test('the retention bench runs with payments that were paid, and the audit is clean before and after', async () => {
  await using server = await openServer()
  const report = openReport()
  const said: string[] = []
  const bench = { quick: true, server, report, print: (line: string) => said.push(line) }
  const sizes = { payments: 300, inFlight: 100, beside: 4, blockMs: 20, measureMs: 300, transitionsAtOnce: 250 }
  await measureRetention(bench, sizes)
  // A test does not judge how fast this machine is.
  expect(report.lines.map(line => line.replace(/^(kept|missed) /, '').replace(/: .*/, ''))).toEqual([
    'p99 of requests while old records are dropped',
  ])
  expect(said[0]).toBe('300 payments are complete')
  // Of the four transitions of a payment and the one of its delivery, one is kept.
  expect(said[2]).toMatch(/^300 deliveries and 1,[23]\d\d transitions were dropped$/)
}, 120_000)

import { expect, test } from 'bun:test'
import { measurePayments } from './payments.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test('the payments bench runs, and prints the rows that a payment writes', async () => {
  await using server = await openServer()
  const report = openReport()
  const said: string[] = []
  const bench = { quick: true, server, report, print: (line: string) => said.push(line) }
  const sizes = { rounds: 1, inFlight: 48, merchants: 3, warmUpMs: 100, measureMs: 300, floorMs: 50, blockMs: 20 }
  await measurePayments(bench, sizes)
  // A test does not judge how fast this machine is.
  expect(report.lines.map(line => line.replace(/^(kept|missed) /, '').replace(/: .*/, ''))).toEqual([
    'complete payments',
    'complete payments against the same rows by bare batched statements',
  ])
  const wanted = [
    /^round 1 of 1: \d.*; floor \d/,
    /^\d+ payments, all of them complete$/,
    /^ {2}payments: 1, \d+, 0 \(\d+\); \d/,
    /^ {2}payment, finalized: \d+, \d+$/,
  ]
  expect(wanted.filter(pattern => !said.some(line => pattern.test(line)))).toEqual([])
}, 180_000)

import { expect, test } from 'bun:test'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'
import { measureWeb } from './web.ts'

test('the web bench runs, and its work is done', async () => {
  await using server = await openServer()
  const report = openReport()
  const bench = { quick: true, server, report, print: () => {} }
  await measureWeb(bench, { loads: 1, payments: 1, openPages: 20, idleMs: 100 })
  // A test does not judge how fast this machine is.
  expect(report.lines.map(line => line.replace(/^(kept|missed|skipped) /, '').replace(/: [^:]*$/, ''))).toEqual([
    '20 open pages while nothing happens: memory',
    '20 open pages while nothing happens: of a processor, with Postgres',
    'the largest contentful paint of the checkout on slow 4G',
    'the delay of the slowest interaction with the checkout',
    'the layout shift of the checkout',
    'from a click on "Pay with sandbox wallet" to "Paid"',
    'from a change of a payment to the changed page',
  ])
}, 180_000)

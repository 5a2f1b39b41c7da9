import { expect, test } from 'bun:test'
import { measureBilling } from './billing.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test('the billing bench runs, and its work is done', async () => {
  await using server = await openServer()
  const report = openReport()
  await measureBilling({ quick: true, server, report, print: () => {} }, { payments: 100, callers: 2, quietMs: 100 })
  // A test does not judge how fast this machine is.
  expect(report.lines.map(line => line.replace(/^(kept|missed) /, '').replace(/: .*/, ''))).toEqual([
    'erasing a customer with 100 payments, first commit',
    'erasing a customer with 100 payments, all copies',
    'erasing a customer with 100 payments, p99 of the API meanwhile',
    'erasing a customer with 100 payments, tables with its e-mail address or name',
  ])
  expect(report.lines.at(-1)).toBe(
    'kept erasing a customer with 100 payments, tables with its e-mail address or name: none (bound none)',
  )
}, 180_000)

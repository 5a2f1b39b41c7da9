import { expect, test } from 'bun:test'
import { measureBilling } from './billing.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

const wholeRenewals = [', each with one invoice', ', numbers 1, 2, 3 … of each merchant', ', the audit afterwards']

test('the billing bench runs, and its work is done', async () => {
  await using server = await openServer()
  const report = openReport()
  const sizes = {
    ...{ rounds: 1, invoices: 150, issuers: 16, kills: 2, others: 16, otherCallers: 4, renderings: 3 },
    ...{ payments: 30, callers: 2, quietMs: 100 },
    ...{ subscriptions: 200, renewalKills: 2, renewalCallers: 2, insertMs: 20_000 },
    ...{ clockSubscriptions: 3, clockMonths: 2 },
  }
  await measureBilling({ quick: true, server, report, print: () => {} }, sizes)
  // A test does not judge how fast this machine is.
  expect(report.lines.map(line => line.replace(/^(kept|missed) /, '').replace(/: .*/, ''))).toEqual([
    '16 callers finalize 150 invoices of one merchant',
    '16 callers finalize 150 invoices of one merchant, numbers 1, 2, 3 … in the order of time',
    '150 invoices over 2 kills of process or database, numbers 1, 2, 3 … in the order of time',
    'with the counter of one merchant locked, links, payments and invoices of another one',
    'with the counter of one merchant locked, links, payments and invoices of another one, all done',
    'documents rendered while invoices are finalized',
    ...[1, 20, 100].map(lines => `a PDF of ${lines} lines, p95`),
    'erasing a customer with 30 payments, first commit',
    'erasing a customer with 30 payments, all copies',
    'erasing a customer with 30 payments, p99 of the API meanwhile',
    'erasing a customer with 30 payments, tables with its e-mail address or name',
    ...['', ', p99 of the API meanwhile', ...wholeRenewals].map(
      what => `200 periods begin at one instant, 140 of one merchant, over 2 kills${what}`,
    ),
    'a clock advanced 2 months over 3 monthly subscriptions',
    'a clock advanced 2 months over 3 monthly subscriptions, events in the order of its time',
  ])
  const judged = [/in the order of/, /all done/, /documents rendered/, /tables with/, ...wholeRenewals]
  const isJudged = (line: string) => judged.some(what => line.search(what) >= 0)
  for (const line of report.lines.filter(isJudged)) expect(line).toStartWith('kept')
}, 600_000)

import { expect, test } from 'bun:test'
import { hasBrowser } from '../harness/browser.ts'
import { measureDashboard } from './dashboard.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test.skipIf(!hasBrowser)(
  'the dashboard bench runs, and its work is done',
  async () => {
    await using server = await openServer()
    const report = openReport()
    const bench = { quick: true, server, report, print: () => {} }
    await measureDashboard(bench, {
      ...{ loads: 1, rows: 10, changes: 2 },
      ...{ records: 600, fewRecords: 200, turns: 1 },
    })
    // A test does not judge how fast this machine is.
    const names = report.lines.map(line =>
      line.replace(/^(kept|missed|skipped) /, '').replace(/(, \d+ queries)?: [^:]*$/, ''),
    )
    expect(names).toEqual([
      'payments with 600 records against 200',
      'payment links with 600 records against 200',
      'refunds with 600 records against 200',
      'disputes with 600 records against 200',
      'events with 600 records against 200',
      'deliveries with 600 records against 200',
      'the audit log with 600 records against 200',
      'the search over all with 600 records against 200',
      'the largest contentful paint of the sign-in on slow 4G',
      'a list of 10 payments against a bare page with the same table',
      'the delay of the slowest interaction with the list',
      'the layout shift of the list',
      'from a change of a payment to the changed row',
    ])
    expect(report.lines.join()).not.toContain('NaN')
  },
  180_000,
)

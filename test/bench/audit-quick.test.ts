import { expect, test } from 'bun:test'
import { measureAudit } from './audit.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test('the audit bench runs, and its rows pass the audit', async () => {
  await using server = await openServer()
  const report = openReport()
  await measureAudit({ quick: true, server, report, print: () => {} }, 1_000)
  expect(report.lines.map(line => line.replace(/^(kept|missed) /, '').replace(/: .*/, ''))).toEqual([
    'an audit of 1,000 payments',
    'an audit of 1,000 payments, memory beyond that at its beginning',
  ])
}, 180_000)

import { expect, test } from 'bun:test'
import { promiseExport } from './analytics-export.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test('the export bench runs, and its files have all rows', async () => {
  await using server = await openServer()
  const report = openReport()
  await promiseExport({ quick: true, server, report, print: () => {} }, { exported: 3_000 })
  // A test does not judge how fast this machine is, nor its memory.
  expect(report.lines.filter(line => / rows of the /.test(line))).toEqual([
    'kept rows of the csv file: 3,000 (bound 3,000)',
    'kept rows of the ndjson file: 3,000 (bound 3,000)',
  ])
  expect(report.lines.join()).not.toContain('NaN')
}, 240_000)

import { expect, test } from 'bun:test'
import { promiseExport } from './analytics-export.ts'
import { promiseFreshFigures, promiseReaderCost } from './analytics-reader.ts'
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

test('the bench of the reader runs, and shows how far asOf is behind and what the reader costs', async () => {
  await using server = await openServer()
  const report = openReport()
  const bench = { quick: true, server, report, print: () => {} }
  await promiseFreshFigures(bench, { perSecond: 200, forMs: 700 })
  await promiseReaderCost(bench, { pairs: 2, sliceMs: 200, callers: 16 })
  // A test does not judge how fast this machine is.
  expect(report.lines.map(line => line.replace(/^\w+ | with .*|: .*/g, ''))).toEqual([
    'transitions of payments while figures are read',
    'how far asOf is behind',
    "what the sums of payments cost of the core's rate, callers 16",
  ])
  expect(report.lines.join()).not.toContain('NaN')
}, 240_000)

import { expect, test } from 'bun:test'
import { measureOps } from './ops.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test('the ops bench runs; no transition is missing or doubled over three kills, and the counts equal the rows', async () => {
  await using server = await openServer()
  const report = openReport()
  const bench = { quick: true, server, report, print: () => {} }
  await measureOps(bench, {
    ...{ perSecond: 500, samples: 2, sampleMs: 500 },
    ...{ kills: 3, killedMessages: 1_200, killedPerSecond: 600 },
    ...{ pairs: 2, sliceMs: 200, callers: 32 },
    ...{ actors: 500, reads: 1, days: 1, commits: 3 },
  })
  // A test does not judge how fast this machine is.
  const isCount = /compared with the tables|messages: [\d,]+ of|counts of/
  const counts = report.lines.filter(line => isCount.test(line))
  expect(counts.filter(line => !line.startsWith('kept '))).toEqual([])
  expect(counts.length).toBeGreaterThanOrEqual(5)
  expect(report.lines.join()).not.toContain('NaN')
}, 240_000)

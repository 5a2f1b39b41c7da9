import { expect, test } from 'bun:test'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'
import { measureStreams } from './streams.ts'

test('the streams bench runs; no message is missing, doubled or wrong, also over three kills of the server', async () => {
  await using server = await openServer()
  const report = openReport()
  const bench = { quick: true, server, report, print: () => {} }
  await measureStreams(bench, {
    ...{ perSecond: 500, samples: 2, sampleMs: 500, rows: 10 },
    ...{ pairs: 2, sliceMs: 200 },
    ...{ kills: 3, killedMessages: 2_400, killedPerSecond: 1_200 },
  })
  // A test does not judge how fast this machine is.
  const isCount = /compared with the tables|messages: [\d,]+ of/
  expect(report.lines.filter(line => isCount.test(line) && !line.startsWith('kept '))).toEqual([])
  expect(report.lines.filter(line => line.includes('compared with the tables'))).toHaveLength(2)
  expect(report.lines.join()).not.toContain('NaN')
}, 240_000)

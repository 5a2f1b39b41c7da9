import { expect, test } from 'bun:test'
import { measureAccess } from './access.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test('the access bench runs, and a key revoked in one process is refused in the others within a second', async () => {
  await using server = await openServer()
  const report = openReport()
  const bench = { quick: true, server, report, print: () => {} }
  await measureAccess(bench, { rounds: 1, pairs: 2, sliceMs: 20, coldKeys: 5, revoked: 3, processes: 2, floods: 0 })
  // A test does not judge how fast this machine is.
  const [one, many, ...revoked] = report.lines
  for (const [line, callers] of [
    [one, 1],
    [many, 32],
  ] as const)
    expect(line).toContain(`a checked key against a bare handler with one select, callers ${callers}: `)
  expect(revoked).toEqual([
    expect.stringMatching(/^kept a revoked key is refused everywhere: /),
    'kept and immediately in the process that revoked it: 0 of 3 keys still worked (bound none)',
  ])
}, 180_000)

import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { measureCore } from './core.ts'
import { openReport } from './promises.ts'
import { openServer } from './server.ts'

test('the core bench runs, and prints for every promise whether it is kept', async () => {
  await using server = await openServer()
  const report = openReport()
  const said: string[] = []
  const bench = { quick: true, server, report, print: (line: string) => said.push(line) }
  await measureCore(bench, {
    rounds: 1,
    meters: 1_024,
    outstanding: 512,
    floorMs: 50,
    oursMs: 100,
    peerMs: 300,
    timers: 500,
    actors: 200,
    fewActors: 100,
    batches: 2,
  })
  expect(said).toContainEqual(expect.stringMatching(/^round 1 of 1: p50 by one \d/))
  expect(report.lines.map(line => line.replace(/^(kept|missed) /, '').replace(/: .*/, ''))).toEqual([
    'one caller, p50 against a bare select and a bare committed insert',
    '32 callers',
    '256 callers',
    'bulk, 512 outstanding',
    '32 callers against DBOS steps by 32',
    'timers with 500 armed',
    'a command at 2,000 rows of history against one at 1,000',
    expect.stringMatching(/^a command at [\d,]+ rows of history against one at 1,000$/),
  ])
}, 120_000)

test('an unknown bench is refused with the list of benches', () => {
  const program = fileURLToPath(new URL('./run.ts', import.meta.url))
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, program, 'cores'])
  expect(exitCode).toBe(2)
  expect(stderr.toString()).toStartWith('There is no bench named cores: bun run bench [core')
})

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { openWeb } from '../src/server/web.ts'
import { allTests, changedSince, readIfThere, testsOf } from './changed.ts'
import { docker } from './harness/docker.ts'
import { postgresServer } from './harness/server.ts'
import { addCounts, type TestReport, testReport } from './report.ts'

/**
 * Runs the tests, several files at a time: with two at a time, a quarter of two cores was idle. Each lane has its own
 * Postgres for all its files. Making one for every file took a fifth of the time; sharing one would let a transaction
 * that a test keeps open hold up the feeds of all databases of the server.
 */
const LANES = 3

/**
 * Nothing else runs with these: the first measures how much one thing slows another, the second reads answers of 16 MiB
 * within the time that a node has.
 */
const ALONE = ['test/access/flood.test.ts', 'test/chain/watch/crowded-block.test.ts']

const main = async (): Promise<number> => {
  await using servers = new AsyncDisposableStack()
  const env = { ...process.env }
  // Once, and not by the first test of each lane.
  await openWeb({ say: console.log })
  if (!env.TEST_DATABASE_URL) {
    const container = await docker()
    if (container !== undefined) env.TEST_DATABASE_URL = container
    else {
      const started = await Promise.all(Array.from({ length: LANES }, () => postgresServer()))
      for (const server of started) servers.use(server)
      env.TEST_DATABASE_URLS = started.map(({ url }) => url).join(',')
    }
  }
  // Loading everything again for each file was a fifth of the work.
  const parallel = [`--parallel=${LANES}`, '--no-isolate']
  const given = selected(process.argv.slice(2))
  if (given === undefined) return 0
  const others = ALONE.map(path => `--path-ignore-patterns=${path}`)
  const runs = given.length > 0 ? [[...parallel, ...given]] : [ALONE, [...parallel, ...others]]
  const reports: TestReport[] = []
  for (const args of runs) reports.push(await retried(await run(args, env), env))
  const { passed, failed } = addCounts(reports)
  console.log(`${passed} passed, ${failed} failed`)
  return reports.every(({ code }) => code === 0) ? 0 : 1
}

/**
 * Several files at a time start servers, databases and browsers on few cores, and now and then one of 5,000 tests waits
 * too long for one. What failed beside others is run once more by itself, and its second result counts; it is listed,
 * so that a test that often needs this is noticed. More than a few failures have another cause, as have errors outside
 * a test and a crash.
 */
const MOST_RETRIED_FILES = 3

const retried = async (first: TestReport, env: NodeJS.ProcessEnv): Promise<TestReport> => {
  const { files } = first
  if (first.code === 0 || first.isBroken || files.length === 0 || files.length > MOST_RETRIED_FILES) return first
  console.log(`\nFailed, and run once more by itself: ${files.join(', ')}`)
  const second = await run(files, env)
  if (second.code !== 0) return first
  console.log(`\nPassed when run once more by itself: ${first.names.join('; ')}`)
  return { ...second, passed: first.passed + first.failed, failed: 0 }
}

/** `--changed [commit]`: the tests that a change since then may affect. Undefined when there is none to run. */
const selected = (args: readonly string[]): readonly string[] | undefined => {
  if (args[0] !== '--changed') return args
  const tests = testsOf(changedSince(args[1] ?? 'HEAD'), allTests(), readIfThere)
  console.log(tests.length === 0 ? 'The change affects no test.' : `The change affects ${tests.length} test files.`)
  return tests.length === 0 ? undefined : tests.map(path => `./${path}`)
}

const stopping = new AbortController()
// Ctrl-C reaches the tests too, and they print their results so far.
process.on('SIGINT', () => stopping.abort('SIGINT'))
process.on('SIGTERM', () => stopping.abort('SIGTERM'))

const run = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<TestReport> => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-tests-'))
  const file = join(folder, 'report.xml')
  const report = ['--reporter=junit', `--reporter-outfile=${file}`]
  const { promise, resolve } = Promise.withResolvers<number>()
  // Only here are errors outside a test: the report does not have them.
  let ending = ''
  if (stopping.signal.aborted) resolve(1)
  else {
    const tests = spawn(process.execPath, ['test', '--timeout', '120000', ...report, ...args], {
      env,
      stdio: ['inherit', 'inherit', 'pipe'],
    })
    tests.stderr.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk)
      ending = (ending + chunk.toString('latin1')).slice(-2000)
    })
    const stop = () => stopping.signal.reason === 'SIGTERM' && tests.kill()
    stopping.signal.addEventListener('abort', stop)
    tests.on('close', code => {
      stopping.signal.removeEventListener('abort', stop)
      resolve(code ?? 1)
    })
  }
  // Awaited here; otherwise the servers would end before the tests.
  try {
    return testReport(await promise, file, ending)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

process.exit(await main())

import { spawn } from 'node:child_process'
import process from 'node:process'
import { openWeb } from '../src/server/web.ts'
import { allTests, changedSince, readIfThere, testsOf } from './changed.ts'
import { docker } from './harness/docker.ts'
import { postgresServer } from './harness/server.ts'

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
  if (given.length > 0) return await run([...parallel, ...given], env)
  const others = ALONE.map(path => `--path-ignore-patterns=${path}`)
  return (await run(ALONE, env)) + (await run([...parallel, ...others], env)) === 0 ? 0 : 1
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

const run = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  if (stopping.signal.aborted) return 1
  const tests = spawn(process.execPath, ['test', '--timeout', '120000', ...args], { env, stdio: 'inherit' })
  const stop = () => stopping.signal.reason === 'SIGTERM' && tests.kill()
  stopping.signal.addEventListener('abort', stop)
  const { promise, resolve } = Promise.withResolvers<number>()
  tests.on('close', code => resolve(code ?? 1))
  // Awaited here; otherwise the servers would end before the tests.
  return await promise.finally(() => stopping.signal.removeEventListener('abort', stop))
}

process.exit(await main())

import { parseEnv } from './env.ts'
import { startHouse } from './house.ts'
import { onLauncherEnd } from './launcher.ts'
import { leaveRoot } from './leave-root.ts'
import { causeOf, StartError } from './start-error.ts'

/** The process: it starts the house, and stops it when told to. */
const main = async (): Promise<number> => {
  const stop = stopSignal()
  try {
    const env = parseEnv(process.env)
    const user = leaveRoot(env.dataDir)
    if (user) console.log(`Continuing as user ${user.name}, who owns ${user.folder}`)
    await using _house = await startHouse(env, { say: line => console.log(line), stop })
    await aborted(stop)
    console.log('Stopping')
  } catch (error) {
    // Told to stop before it was ready.
    if (stop.aborted) return 0
    const cause = causeOf(error)
    console.error(cause instanceof StartError ? cause.message : `The start failed: ${String(cause)}`)
    if (process.env.LOG_LEVEL === 'debug' || process.env.LOG_LEVEL === 'trace') console.error(error)
    return 1
  }
  return 0
}

/** Aborted by SIGTERM or Ctrl-C. Whoever asks twice does not want to wait, and nobody waits longer than 19 s. */
const stopSignal = (): AbortSignal => {
  const stopping = new AbortController()
  let since = 0
  const stop = () => {
    if (stopping.signal.aborted) {
      // The terminal tells us and `bun run`, which passes it on: the same Ctrl-C, not a second one.
      if (performance.now() - since > 1_000) process.exit(1)
      return
    }
    since = performance.now()
    stopping.abort()
    setTimeout(() => {
      console.error('Something did not stop in time, ending anyway')
      process.exit(1)
    }, 19_000)
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, stop)
  onLauncherEnd(stop)
  return stopping.signal
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

// Whoever read what is printed has gone; that is no reason to go as well.
for (const printed of [process.stdout, process.stderr]) printed.on('error', () => {})

process.exit(await main())

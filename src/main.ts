import { parseEnv } from './env.ts'
import { onLauncherEnd } from './process/launcher.ts'
import { leaveRoot } from './process/leave-root.ts'
import { causeOf, StartError } from './process/start-error.ts'
import { startServer } from './server/server.ts'

/** The process: starts the server, and stops it on a signal. */
const main = async (): Promise<number> => {
  const stop = stopSignal()
  try {
    const env = parseEnv(process.env)
    const user = leaveRoot(env.dataDir)
    if (user) console.log(`Continuing as user ${user.name}, who owns ${user.folder}`)
    await using _server = await startServer(env, { say: line => console.log(line), stop })
    await aborted(stop)
    console.log('Stopping')
  } catch (error) {
    // Stopped before it was ready.
    if (stop.aborted) return 0
    const cause = causeOf(error)
    console.error(cause instanceof StartError ? cause.message : `The start failed: ${String(cause)}`)
    if (process.env.LOG_LEVEL === 'debug' || process.env.LOG_LEVEL === 'trace') console.error(error)
    return 1
  }
  return 0
}

/** Aborted by SIGTERM or Ctrl-C. A second signal ends the process immediately; it never runs longer than 19 s after the first. */
const stopSignal = (): AbortSignal => {
  const stopping = new AbortController()
  let since = 0
  const stop = () => {
    if (stopping.signal.aborted) {
      // One Ctrl-C arrives twice: from the terminal, and from `bun run`, which forwards it.
      if (performance.now() - since > 1_000) process.exit(1)
      return
    }
    since = performance.now()
    stopping.abort()
    setTimeout(() => {
      console.error('The server did not stop within 19 seconds and is ended now')
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

// The reader of the output may close it. The server keeps running.
for (const printed of [process.stdout, process.stderr]) printed.on('error', () => {})

process.exit(await main())

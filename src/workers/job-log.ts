import { EventEmitter } from 'node:events'
import { type LogFunctionFactory, Logger, type LogLevel, type WorkerEvents } from 'graphile-worker'
import type { Log } from '../log.ts'

/** Events of a runner whose failed jobs go to the log. Payloads stay where they are. */
export const openJobEvents = (log: Log): WorkerEvents => {
  const events: WorkerEvents = new EventEmitter()
  events.on('job:error', ({ job, error }) =>
    log.error(
      { task: job.task_identifier, job: job.id, attempt: job.attempts, of: job.max_attempts, fault: faultOf(error) },
      'job failed',
    ),
  )
  return events
}

/** graphile-worker's own messages, without what it attaches to them: there are payloads in it. */
export const runnerLogger = (log: Log): Logger => {
  const write: ReturnType<LogFunctionFactory> = (level, message, { failure, success }) => {
    if (!failure && !success) log[levels[level]]({ from: 'graphile-worker' }, message)
  }
  return new Logger(() => write)
}

// What is an error to it, it gets over, or we do; and it says much more than anybody wants to know.
const levels = { error: 'warn', warning: 'warn', info: 'debug', debug: 'trace' } as const satisfies Record<
  LogLevel,
  string
>

/** An error by its named parts; whatever else hangs on it may be secret. */
export const faultOf = (error: unknown): Record<string, unknown> =>
  error instanceof Error
    ? {
        name: error.name,
        ...('code' in error && { code: error.code }),
        message: error.message,
        stack: error.stack,
        ...(error.cause !== undefined && { cause: faultOf(error.cause) }),
      }
    : { name: typeof error }

import { EventEmitter } from 'node:events'
import { type LogFunctionFactory, Logger, type LogLevel, type WorkerEvents } from 'graphile-worker'
import type { Log } from '../log.ts'

/** Logs the failed jobs of a runner, without their payloads. */
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

/** Logs graphile-worker's messages without their metadata, which contains payloads. */
export const runnerLogger = (log: Log): Logger => {
  const write: ReturnType<LogFunctionFactory> = (level, message, { failure, success }) => {
    if (!failure && !success) log[levels[level]]({ from: 'graphile-worker' }, message)
  }
  return new Logger(() => write)
}

// Lower levels than graphile-worker's: it recovers from its errors, or the worker is restarted, and it logs a lot.
const levels = { error: 'warn', warning: 'warn', info: 'debug', debug: 'trace' } as const satisfies Record<
  LogLevel,
  string
>

/** The known fields of an error. Other properties may contain secrets. */
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

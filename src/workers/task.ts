import { type Type, type } from 'arktype'
import type { Services } from '../actors/services.ts'

/** What a task gets besides its payload. */
export type TaskHelpers = {
  readonly job: { readonly id: string; readonly task_identifier: string; readonly attempts: number }
  /** Aborted when the process is stopping and will soon stop waiting for the task. */
  readonly signal: AbortSignal
}

/**
 * The function for one kind of job. A task talks to external systems and reports the results as commands. It must be
 * safe to run twice, also in parallel, because a worker that was taken for dead may still be running it. Expected
 * failures are events. An exception is a fault, and the job is retried with growing delays.
 */
export type Task = (services: Services, payload: unknown, helpers: TaskHelpers) => Promise<void>

/** Tasks by name, as in the jobs. */
export type Tasks = Readonly<Record<string, Task>>

/** A task whose payload is parsed before it runs. */
export const task =
  <Payload>(
    schema: Type<Payload>,
    run: (services: Services, payload: Type<Payload>['infer'], helpers: TaskHelpers) => Promise<void>,
  ): Task =>
  async (services, payload, helpers) => {
    const parsed = schema(payload)
    if (parsed instanceof type.errors) throw new Error(describe(helpers.job.task_identifier, parsed))
    await run(services, parsed as Type<Payload>['infer'], helpers)
  }

// Names the fields only: arktype's own message contains the value.
const describe = (name: string, problems: InstanceType<typeof type.errors>): string =>
  `The payload of ${name} is invalid: ${problems.map(({ propString, expected }) => `${propString || 'it'} must be ${expected}`).join(', ')}`

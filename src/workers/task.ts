import { type Type, type } from 'arktype'
import type { World } from '../actors/world.ts'

/** What a task is told of the job it works for. */
export type Helpers = {
  readonly job: { readonly id: string; readonly task_identifier: string; readonly attempts: number }
  /** Aborted when the process wants to stop and will not wait much longer. */
  readonly signal: AbortSignal
}

/**
 * One kind of job. A task touches the world and comes back with commands. It is safe to run twice, and
 * twice at once: a worker that was taken for dead may still be at it. Expected failures are events, not
 * exceptions; an exception is a fault, and the job is tried again later and later.
 */
export type Task = (world: World, payload: unknown, helpers: Helpers) => Promise<void>

/** Tasks by the name jobs ask for them. */
export type Tasks = Readonly<Record<string, Task>>

/** A task whose payload is parsed before it runs. */
export const task =
  <Payload>(
    schema: Type<Payload>,
    run: (world: World, payload: Type<Payload>['infer'], helpers: Helpers) => Promise<void>,
  ): Task =>
  async (world, payload, helpers) => {
    const parsed = schema(payload)
    if (parsed instanceof type.errors) throw new Error(describe(helpers.job.task_identifier, parsed))
    await run(world, parsed as Type<Payload>['infer'], helpers)
  }

// Named by field: arktype's own message repeats the value.
const describe = (name: string, problems: InstanceType<typeof type.errors>): string =>
  `The payload of ${name} is wrong: ${problems.map(({ propString, expected }) => `${propString || 'it'} must be ${expected}`).join(', ')}`

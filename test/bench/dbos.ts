import { fileURLToPath } from 'node:url'
import { connect } from '../../src/postgres/connect.ts'
import type { BenchServer } from './server.ts'

/** The peer: DBOS on the same server, with a database of its own. */
export type Dbos = AsyncDisposable & {
  /** Durable steps per second with this many callers, after warming up. */
  stepsPerSecond(callers: number, forMs: number): Promise<number>
}

/** Undefined where its package is not installed. */
export const openDbos = async (server: BenchServer): Promise<Dbos | undefined> => {
  try {
    import.meta.resolve('@dbos-inc/dbos-sdk')
  } catch {
    return undefined
  }
  const db = await server.create()
  let steps = 0
  return {
    stepsPerSecond: async (callers, forMs) => {
      const answer = await run(db.url, callers, forMs)
      steps += answer.steps
      const sql = connect(db.url, { max: 1 })
      const [row] = await sql<{ written: number }[]>`select count(*)::integer as written from dbos.operation_outputs`
      await sql.end({ timeout: 1 })
      if (row?.written !== steps) throw new Error(`the peer has written ${row?.written} steps, not ${steps}`)
      return answer.perSecond
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

/** A process of its own each time, so that its background polling does not slow other rounds. */
const run = async (url: string, callers: number, forMs: number): Promise<{ perSecond: number; steps: number }> => {
  const program = fileURLToPath(new URL('./dbos-program.ts', import.meta.url))
  // Bun for both; with Node 24 the peer was as fast or slower.
  const child = Bun.spawn({
    cmd: [process.execPath, '--no-deprecation', program, url, `${callers}`, `${forMs}`, `${forMs / 3}`],
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the peer has failed')
  return JSON.parse(output)
}

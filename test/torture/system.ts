import { connect } from '../../src/postgres/connect.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { addLamps } from '../actors/lamps.ts'
import { cert, key } from '../bench/webhooks-certificate.ts'
import { openPath, type Path } from '../harness/faulty-path.ts'
import { postgresServer } from '../harness/server.ts'
import { openWorkerProcess, type WorkerProcess } from './worker-process.ts'

export type System = Awaited<ReturnType<typeof openSystem>>

/** A process of the program under test, and its path to the database. */
export type Member = { readonly process: WorkerProcess; readonly path: Path }

/** The options in which processes differ. */
const VARIANTS = [
  { tls: true, connections: 8 },
  { tls: false, connections: 8 },
  // Every command reads its actor's row.
  { tls: true, connections: 4 },
] as const

/** A database server, and processes that reach it by a path each. */
export const openSystem = async () => {
  await using opening = new AsyncDisposableStack()
  const server = opening.use(await postgresServer({ certificate: { cert, key } }))
  await migrate(server.url)
  await addLamps(server.url)
  const members: Member[] = []
  for (const [index, { tls, ...variant }] of VARIANTS.entries()) {
    const path = opening.use(await openPath(server.url, { tls }))
    const process = opening.use(
      openWorkerProcess(String.fromCharCode(97 + index), {
        ...{ url: path.url, retryForMs: 3_000, answerS: 2, index, of: VARIANTS.length },
        ...variant,
      }),
    )
    members.push({ process, path })
  }
  await Promise.all(members.map(({ process }) => process.start()))
  // The sessions of the faults are not hit by faults.
  const sql = connect(server.url, { max: 2, name: 'torture' })
  opening.defer(() => sql.end({ timeout: 1 }))
  const stack = opening.move()
  return {
    server,
    members,
    sql,
    /** Each stops after finishing its work. */
    stop: async () => {
      await Promise.all(members.map(({ process }) => process.stop()))
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

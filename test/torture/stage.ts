import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { sendTo } from './callers.ts'
import { doneBy, type History, type Operation } from './history.ts'
import type { Actors } from './operations.ts'
import type { System } from './system.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Everything that faults act on. */
export type Stage = {
  readonly system: System
  readonly history: History
  readonly actors: Actors
  readonly random: () => number
}

/** In a transaction of another session, which stays open for a while. */
export const inForeignSession = async (
  { system }: Stage,
  statement: string,
  ms: number,
  atEnd: () => Promise<void> = async () => {},
): Promise<void> => {
  const session = connect(system.server.url, { max: 1, name: 'torture' })
  try {
    await session.unsafe(`begin; ${statement}`)
    await sleep(ms)
    await atEnd()
    await session.unsafe('rollback')
  } catch {
    // The server was restarted, which ended the session and its lock.
  } finally {
    await session.end({ timeout: 1 })
  }
}

/** Heals every path, and waits until every process can commit again. */
export const recovered = async ({ system, history, actors, random }: Stage): Promise<void> => {
  for (const { path } of system.members) path.heal()
  let last: Operation | undefined
  const commits = async (process: WorkerProcess) => {
    process.requireAlive()
    const name = `probe ${history.operations.length}`
    const commands = [{ actor: actors.drawCold(random), cause: name, event: 'flash' }]
    const probe: Operation = { name, commands, keyed: false, expected: 'any', attempts: [] }
    history.operations.push(probe)
    last = probe
    await sendTo(process, history, probe)
    return doneBy(probe) !== undefined
  }
  for (const { process } of system.members) {
    const what = `process ${process.name} to commit again`
    await until(() => commits(process), { timeoutMs: 30_000, everyMs: 50, what }).catch(error => {
      throw new Error(`${error}; its last response is ${JSON.stringify(last?.attempts.at(-1)?.outcome)}`)
    })
  }
}

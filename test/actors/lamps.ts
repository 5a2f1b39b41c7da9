import { readFile } from 'node:fs/promises'
import { type Actors, openActors } from '../../src/actors/actors.ts'
import type { Command, Done, Outcome } from '../../src/actors/command.ts'
import type { DispatcherOptions } from '../../src/actors/dispatcher.ts'
import { type Kind, registered } from '../../src/actors/kind.ts'
import { databaseClock } from '../../src/clock.ts'
import type { Dependencies, Random } from '../../src/dependencies.ts'
import { uuidv7 } from '../../src/ids.ts'
import { openLog } from '../../src/log.ts'
import { connect, LOCK_TIMEOUT_MS } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'
import { lamp } from './lamp.ts'

export const random: Random = bytes => crypto.getRandomValues(bytes)
export const newId = () => uuidv7(new Date(), random)

/** The tables of the lamp machine, which exist only in tests. */
export const addLamps = async (url: string): Promise<void> => {
  const sql = connect(url, { max: 1 })
  await sql.unsafe(await readFile(new URL('./lamp.sql', import.meta.url), 'utf8'))
  await sql.end()
}

/** An instance with its own pool, clock and actors on the database at `url`, as in a process of its own. */
export const openInstance = async (
  url: string,
  { clock = databaseClock(), kinds = [registered(lamp)], connections = 8, answerS, ...options }: InstanceOptions = {},
) => {
  const sql = connect(url, { max: connections, byKey: true, lockMs: LOCK_TIMEOUT_MS, answerS })
  const world: Dependencies = { sql, clock, random, log: openLog('silent') }
  const actors = await openActors(world, kinds, options)
  return { world, sql, actors, close: () => sql.end({ timeout: 1 }) }
}

type InstanceOptions = DispatcherOptions & {
  clock?: Dependencies['clock']
  kinds?: readonly Kind[]
  connections?: number
  answerS?: number
}

/** A new database with the lamp tables, and an instance on it. */
export const lampInstance = async (options: InstanceOptions = {}) => {
  const db = await database()
  await addLamps(db.url)
  const instance = await openInstance(db.url, options)
  return {
    ...instance,
    url: db.url,
    [Symbol.asyncDispose]: async () => {
      await instance.close()
      await db[Symbol.asyncDispose]()
    },
  }
}

export const createCommand = (fields: Record<string, unknown> = {}, id = newId()): Command => ({
  kind: 'lamp',
  actor: id,
  create: fields,
})

export const eventCommand = (actor: string, type: string, fields: Record<string, unknown> = {}): Command => ({
  kind: 'lamp',
  actor,
  event: { type, ...fields },
})

/** Creates a lamp and returns its id. */
export const createLamp = async (actors: Actors, fields: Record<string, unknown> = {}): Promise<string> =>
  doneOf(await actors.dispatch(createCommand(fields))).actor.id

export const doneOf = (outcome: Outcome): Done => {
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
  return outcome
}

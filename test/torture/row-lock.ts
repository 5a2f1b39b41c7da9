import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from '../../src/ids.ts'
import { random as bytes } from '../actors/lamps.ts'
import { until } from '../harness/until.ts'
import { sendTo } from './callers.ts'
import { doneBy, type History, type Operation } from './history.ts'
import { inForeignSession, type Stage } from './stage.ts'
import type { WorkerProcess } from './worker-process.ts'

/** How long the row stays locked: longer than a command waits for an unreachable database. */
const LOCKED_MS = 5_000

/** How much longer, while a timer has not fired. */
const FIRED_MS = 20_000

/**
 * A foreign session locks one row while no other fault is active. Meanwhile each process gets commands for an actor that
 * no other process changes, and arms a timer. Returns what was not done before the lock ended.
 */
export const holdRow = async (stage: Stage): Promise<string[]> => {
  const { system, history, actors, random } = stage
  const locked = random() < 0.5 ? actors.draw(random) : actors.drawCold(random)
  const probes = await Promise.all(system.members.map(({ process }) => openProbe(process, history)))
  let isLocked = true
  const probing = Promise.all(probes.map(({ commitUntil }) => commitUntil(() => !isLocked)))
  let burning: readonly { readonly id: string }[] = []
  const ids = probes.map(({ timed }) => timed)
  await inForeignSession(stage, `select from lamps where id = '${locked}' for update`, LOCKED_MS, async () => {
    const areFired = async () => {
      burning = await system.sql<{ id: string }[]>`select id from lamps where state = 'on' and id = any(${ids}::uuid[])`
      return burning.length === 0
    }
    await until(areFired, { timeoutMs: FIRED_MS, everyMs: 100 }).catch(() => {})
  })
  isLocked = false
  const failed = (await probing).flat()
  return [
    ...failed.map(({ name, attempts }) => `failed while another row was locked: ${name} ${JSON.stringify(attempts)}`),
    ...burning.map(({ id }) => `a timer did not fire while another row was locked: ${id}`),
  ]
}

const openProbe = async (process: WorkerProcess, history: History) => {
  const dispatch = async (actor: string, what: Pick<Operation['commands'][number], 'create' | 'event'>) => {
    const name = `probe ${history.operations.length}`
    const commands = [{ actor, cause: name, ...what }]
    const operation: Operation = { name, commands, keyed: false, expected: 'any', attempts: [] }
    history.operations.push(operation)
    await sendTo(process, history, operation)
    return operation
  }
  const create = async (burnMs: number): Promise<string> => {
    const id = uuidv7(new Date(), bytes)
    await dispatch(id, { create: { burnMs, room: null } })
    return id
  }
  const [timed, busy] = [await create(100), await create(2_000)]
  return {
    /** Its timer is armed once, by the first command. */
    timed,
    /** Returns the commands that were not done. */
    commitUntil: async (isOver: () => boolean): Promise<readonly Operation[]> => {
      const all = [await dispatch(timed, { event: 'flash' })]
      while (!isOver()) {
        all.push(await dispatch(busy, { event: 'flash' }))
        await sleep(50)
      }
      return all.filter(operation => doneBy(operation) === undefined)
    },
  }
}

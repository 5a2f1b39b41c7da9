import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf } from '../harness/random.ts'
import { type Attempt, type History, isUnknown, type Operation } from './history.ts'
import { type Actors, drawOperation } from './operations.ts'
import type { WorkerProcess } from './worker-process.ts'

export type Calling = {
  readonly history: History
  readonly processes: readonly WorkerProcess[]
  readonly actors: Actors
  readonly random: () => number
  readonly isOver: () => boolean
  /** Ends what no process will respond to. */
  readonly signal: AbortSignal
}

/** The number of operations of one caller in progress: one that waits for a lock does not stop the others. */
const UNDER_WAY = 6

/** One caller sends operations in bursts until the run is over and each of them has ended. */
export const call = async (name: string, calling: Calling): Promise<void> => {
  const { random, isOver, signal } = calling
  const underWay = new Set<Promise<void>>()
  let failed: unknown
  let n = 0
  const begin = () => {
    const one = callOnce(`${name}.${n++}`, calling)
      .catch(error => {
        failed ??= error
      })
      .finally(() => underWay.delete(one))
    underWay.add(one)
  }
  while (!isOver() && failed === undefined) {
    for (let size = random() < 0.2 ? 8 : 1; size > 0; size--) if (underWay.size < UNDER_WAY) begin()
    await sleep(random() * 120, undefined, { signal })
  }
  await Promise.all(underWay)
  if (failed !== undefined) throw failed
}

const callOnce = async (name: string, calling: Calling): Promise<void> => {
  const drawn = drawOperation({ name, random: calling.random, actors: calling.actors })
  if ('read' in drawn) return read(calling, drawn.read)
  const operation: Operation = { ...drawn, attempts: [] }
  calling.history.operations.push(operation)
  return carryOut(calling, operation)
}

/** Sends an operation. One with command ids is repeated, to any process, until its outcome is known. */
export const carryOut = async (calling: Calling, operation: Operation): Promise<void> => {
  const { random, actors } = calling
  const { keyed, attempts, commands } = operation
  // Sometimes by two processes at the same time, like a task that runs twice.
  const twice = keyed && random() < 0.15
  await Promise.all([send(calling, operation), ...(twice ? [send(calling, operation)] : [])])
  while (keyed && attempts.every(isUnknown)) {
    await sleep(20 + random() * 100)
    await send(calling, operation)
  }
  const [first] = commands
  if (first?.create && operation.expected === 'any' && attempts.some(({ outcome }) => outcome.kind === 'done'))
    actors.add(first.actor, random)
}

const send = async (calling: Calling, operation: Operation): Promise<void> =>
  sendTo(await readyProcess(calling), calling.history, operation)

export const sendTo = async (
  process: WorkerProcess,
  history: History,
  { commands, attempts }: Operation,
): Promise<void> => {
  attempts.push(await tryOnce(history, process, () => process.ask({ commands })))
}

const read = async (calling: Calling, actor: string): Promise<void> => {
  const process = await readyProcess(calling)
  calling.history.reads.push({
    actor,
    ...(await tryOnce(calling.history, process, () => process.ask({ read: actor }))),
  })
}

const tryOnce = async (
  history: History,
  process: WorkerProcess,
  ask: () => ReturnType<WorkerProcess['ask']>,
): Promise<Attempt> => {
  const sentAt = history.next()
  const life = process.life()
  const outcome = await ask()
  return { process: process.name, life, sentAt, answeredAt: history.next(), outcome }
}

const readyProcess = async ({ processes, random, signal }: Calling): Promise<WorkerProcess> => {
  for (;;) {
    signal.throwIfAborted()
    const ready = processes.filter(process => process.isReady())
    if (ready.length > 0) return oneOf(ready, random)
    await sleep(10)
  }
}

import { createInterface } from 'node:readline'
import { type Command, CommandFault, Unavailable } from '../../src/actors/command.ts'
import type { Actor } from '../../src/actors/kind.ts'
import { openTimers } from '../../src/actors/timers.ts'
import { openInstance } from '../actors/lamps.ts'
import { timedLamp } from './kind.ts'
import {
  type Answer,
  NO_DATABASE,
  type Outcome,
  type Request,
  type Snapshot,
  type Wire,
  type WorkerOptions,
} from './protocol.ts'

/**
 * The program under test: `bun worker.ts <options>`. Dispatches the commands it reads from standard input in order,
 * prints a response for each, and fires timers. Ends when its standard input ends, and after SIGTERM when it has
 * finished the commands in progress.
 */
const options = JSON.parse(process.argv[2] ?? '') as WorkerOptions

const snapshotOf = ({ id, state, rev, context }: Actor): Snapshot => ({
  ...{ id, state, rev, switched: Number(context.switched) },
})

const commandOf = ({ actor, cause, id, create, event, by, before, tx }: Wire): Command => ({
  ...{ kind: 'lamp', actor, cause },
  ...(id !== undefined && { id }),
  ...(create ? { create } : { event: { type: event ?? '', by, before: before && new Date(before) } }),
  ...(tx !== undefined && { rows: [{ table: 'sightings', row: { tx, lamp: actor } }] }),
})

const textOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.name} ${'code' in error ? error.code : ''} ${error.message}${error.cause ? ` < ${textOf(error.cause)}` : ''}`
    : String(error)

const failed = (error: unknown): Outcome => {
  if (error instanceof Unavailable) return { kind: 'unavailable', error: textOf(error) }
  return { kind: error instanceof CommandFault ? 'fault' : 'unexpected', error: textOf(error) }
}

const instance = await openInstance(options.url, { ...options, kinds: [timedLamp] }).catch(error => {
  console.error(textOf(error))
  process.exit(NO_DATABASE)
})
const { sql, actors, world } = instance

const carryOut = async (commands: readonly Command[]): Promise<Outcome> => {
  const [first] = commands
  if (!first) throw new Error('there is no command')
  const outcome =
    commands.length > 1
      ? await actors.dispatchBundle(commands)
      : await actors.dispatch(first).then(one => (one.ok ? { ok: one.ok, done: [one] } : one))
  if (outcome.ok)
    return {
      kind: 'done',
      done: outcome.done.map(({ actor, replayed }) => ({ actor: snapshotOf(actor), replayed })),
    }
  const { refusal, index, constraint = null, actor } = outcome
  return { kind: 'refused', refusal, index, constraint, actor: actor ? snapshotOf(actor) : null }
}

const read = async (id: string): Promise<Outcome> => {
  const rows = await sql<Snapshot[]>`select id, state, rev, switched from lamps where id = ${id}`
  return { kind: 'read', actor: rows[0] ?? null }
}

const answer = async (request: Request): Promise<void> => {
  const asked = 'read' in request ? read(request.read) : carryOut(request.commands.map(commandOf))
  const outcome = await asked.catch(error => ('read' in request ? unread(error) : failed(error)))
  process.stdout.write(`${JSON.stringify({ n: request.n, outcome } satisfies Answer)}\n`)
}

/** A read has no effect, whatever error it fails with. */
const unread = (error: unknown): Outcome => ({ kind: 'unavailable', error: textOf(error) })

const timers = openTimers(world, actors, { pollMs: 50, share: () => ({ index: options.index, of: options.of }) })
timers.start()
createInterface({ input: process.stdin })
  .on('line', line => void answer(JSON.parse(line)))
  .on('close', () => process.exit(0))
process.on('SIGTERM', async () => {
  await timers.stop()
  await actors.idle()
  await instance.close()
  process.exit(0)
})
process.stdout.write('ready\n')

import { type Attempt, doneBy, type History, isUnknown, type Operation } from './history.ts'
import type { Outcome, Snapshot, Wire } from './protocol.ts'
import type { Change, Stored } from './stored.ts'

/** The changes made by each operation, by its name. */
export type ByCause = ReadonlyMap<string, readonly Change[]>

export const byCause = ({ changes }: Stored): ByCause => {
  const found = new Map<string, Change[]>()
  for (const change of [...changes.values()].flat()) {
    const cause = change.cause ?? ''
    found.set(cause, [...(found.get(cause) ?? []), change])
  }
  return found
}

/** A successful response means done exactly once, a refusal means not done; without a response either is possible. */
export const checkOperations = ({ operations }: History, stored: Stored): string[] => {
  const made = byCause(stored)
  return operations.flatMap(operation =>
    checkOperation(operation, made.get(operation.name) ?? [], stored).map(
      what => `${what}: ${operation.name} ${JSON.stringify(operation.commands)} ${JSON.stringify(operation.attempts)}`,
    ),
  )
}

const checkOperation = (operation: Operation, made: readonly Change[], stored: Stored): string[] => [
  ...checkOnce(operation, made),
  ...operation.attempts.flatMap(attempt => checkAnswer(operation, attempt, made)),
  ...operation.commands.flatMap(command => checkRow(command, made, stored)),
]

const checkOnce = (operation: Operation, made: readonly Change[]): string[] => {
  const { commands, attempts, keyed } = operation
  const counts = commands.map(({ actor }) => made.filter(change => change.actor === actor).length)
  const done = doneBy(operation) !== undefined
  const first = attempts.filter(({ outcome }) => outcome.kind === 'done' && outcome.done.some(each => !each.replayed))
  return [
    ...(counts.some(count => count > 1) ? ['done twice'] : []),
    ...(counts.some(count => count !== counts[0]) ? ['a bundle was done in part'] : []),
    ...(counts.every(count => count === 1) && new Set(made.map(({ xid }) => xid)).size > 1
      ? ['a bundle was done in two commits']
      : []),
    ...(done && counts.includes(0) ? ['acknowledged but not done'] : []),
    // Another attempt, with an unknown outcome, may have been done after this one was refused.
    ...(!done && !attempts.some(isUnknown) && counts.some(count => count > 0) ? ['refused but done'] : []),
    ...(first.length > 1 ? ['two attempts both claim to have done it'] : []),
    ...(keyed && attempts.every(isUnknown) ? ['never answered'] : []),
    ...(operation.expected !== 'any' && made.length > 0 ? ['done although it is impossible'] : []),
  ]
}

const checkAnswer = ({ commands, expected }: Operation, { outcome }: Attempt, made: readonly Change[]): string[] => {
  if (outcome.kind === 'unexpected') return ['rejected with an undocumented error']
  if (outcome.kind === 'fault') return expected === 'fails' ? [] : ['reported as impossible']
  if (outcome.kind === 'refused') return isAllowed(outcome, commands, expected) ? [] : ['refused without a reason']
  if (outcome.kind !== 'done') return []
  return outcome.done.flatMap(({ actor, replayed }) => {
    const [change, ...more] = made.filter(change => change.actor === actor.id)
    // A replay returns the current state of the actor.
    return !change || more.length > 0 || replayed || isSame(actor, change)
      ? []
      : ['acknowledged with a change that it did not make']
  })
}

export const isSame = (actor: Snapshot, change: Change): boolean =>
  actor.rev === change.rev && actor.state === change.to && actor.switched === change.switched

type Refused = Extract<Outcome, { kind: 'refused' }>

const isAllowed = (
  { refusal, index, constraint, actor }: Refused,
  commands: readonly Wire[],
  expected: Operation['expected'],
): boolean => {
  if (expected === 'missing' || expected === 'exists') return refusal === expected
  // A refusal for an existing row does not name the command that made the row.
  if (refusal === 'exists') return constraint === 'sightings_pkey' && commands.some(({ tx }) => tx !== undefined)
  const command = commands[index]
  if (!command) return false
  if (refusal === 'room_taken') return command.create?.room !== null
  if (refusal !== 'state' || !actor) return false
  if (command.event === 'switch_on' || command.event === 'hit') return actor.state === 'on'
  if (command.event === 'switch_off') return actor.state === 'off'
  return command.event === 'count' && command.before !== undefined
}

const checkRow = ({ actor, tx }: Wire, made: readonly Change[], { sightings }: Stored): string[] => {
  if (tx === undefined) return []
  const isThere = sightings.get(tx) === actor
  return made.length > 0 && !isThere ? ['done without its row'] : []
}

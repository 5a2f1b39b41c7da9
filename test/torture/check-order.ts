import { isSame } from './check-operations.ts'
import { doneBy, type History } from './history.ts'
import type { Outcome, Snapshot, Wire } from './protocol.ts'
import type { Change, Stored } from './stored.ts'

/** When an operation was first sent, and when it was known to be done. */
type Span = { readonly sentAt: number; readonly doneAt: number }

const ALWAYS: Span = { sentAt: 0, doneAt: Number.POSITIVE_INFINITY }

/**
 * Linearizability: the revisions of an actor order its operations. An operation that was answered before another was
 * sent comes before it, and every read lies on this order at a time between its request and its response.
 */
export const checkOrder = (history: History, { changes }: Stored): string[] => {
  const spans = new Map(history.operations.map(operation => [operation.name, spanOf(operation)]))
  const spanOfChange = ({ cause }: Change): Span => spans.get(cause ?? '') ?? ALWAYS
  const broken: string[] = []
  const orders = new Map([...changes].map(([actor, own]) => [actor, orderOf(own.map(spanOfChange))]))
  for (const [actor, own] of changes) {
    const order = orders.get(actor)
    for (const [index, change] of own.entries())
      if ((order?.doneAfter[index + 1] ?? ALWAYS.doneAt) < spanOfChange(change).sentAt)
        broken.push(`a later revision of ${actor} was answered before ${change.cause} (${change.rev}) was sent`)
  }
  for (const { actor, sentAt, doneAt, from } of observations(history)) {
    const change = changes.get(actor.id)?.[actor.rev - 1]
    const order = orders.get(actor.id)
    const what = `${from} saw ${JSON.stringify(actor)}`
    if (!change || !isSame(actor, change)) broken.push(`${what}, which never existed`)
    else if ((order?.doneAfter[actor.rev] ?? ALWAYS.doneAt) < sentAt) broken.push(`${what}, which was outdated`)
    else if ((order?.sentUpTo[actor.rev - 1] ?? 0) > doneAt) broken.push(`${what}, which was still to come`)
  }
  return [...broken, ...checkSending(history, changes)]
}

const spanOf = (operation: History['operations'][number]): Span => ({
  sentAt: operation.attempts[0] ? Math.min(...operation.attempts.map(({ sentAt }) => sentAt)) : 0,
  doneAt: doneBy(operation)?.answeredAt ?? Number.POSITIVE_INFINITY,
})

/** `doneAfter[n]`: when the first change from n on was answered. `sentUpTo[n]`: when the last change up to n was sent. */
const orderOf = (spans: readonly Span[]) => {
  const doneAfter: number[] = []
  let earliest = Number.POSITIVE_INFINITY
  for (let n = spans.length - 1; n >= 0; n--) {
    earliest = Math.min(earliest, spans[n]?.doneAt ?? earliest)
    doneAfter[n] = earliest
  }
  let latest = 0
  const sentUpTo = spans.map(({ sentAt }) => {
    latest = Math.max(latest, sentAt)
    return latest
  })
  return { doneAfter, sentUpTo }
}

type Observation = Span & { readonly actor: Snapshot; readonly from: string }

/** Responses about an actor that the operation itself did not change. */
const observations = ({ operations, reads }: History): Observation[] => [
  ...operations.flatMap(({ name, attempts }) =>
    attempts.flatMap(({ sentAt, answeredAt, outcome }) =>
      seenIn(outcome).map(actor => ({ actor, sentAt, doneAt: answeredAt, from: name })),
    ),
  ),
  ...reads.flatMap(({ sentAt, answeredAt, outcome }) =>
    outcome.kind === 'read' && outcome.actor
      ? [{ actor: outcome.actor, sentAt, doneAt: answeredAt, from: 'a read' }]
      : [],
  ),
]

const seenIn = (outcome: Outcome | { readonly kind: 'died' }): readonly Snapshot[] => {
  if (outcome.kind === 'refused') return outcome.actor ? [outcome.actor] : []
  return outcome.kind === 'done' ? outcome.done.flatMap(({ actor, replayed }) => (replayed ? [actor] : [])) : []
}

/** Commands for one actor are done in the order in which one process received them. */
const checkSending = ({ operations }: History, changes: Stored['changes']): string[] => {
  const revs = new Map([...changes.values()].flat().map(({ actor, cause, rev }) => [`${cause} ${actor}`, rev]))
  const sent = operations
    // Sent once and answered: for others it is unknown which attempt was done.
    .flatMap(({ name, commands, attempts }) => {
      const [only, ...more] = attempts
      return only && more.length === 0 && isFirst(only.outcome) ? [{ name, commands, only }] : []
    })
    .toSorted((a, b) => a.only.sentAt - b.only.sentAt)
  const last = new Map<string, { rev: number; name: string }>()
  return sent.flatMap(({ name, commands, only }) =>
    commands.flatMap(({ actor }: Wire) => {
      const rev = revs.get(`${name} ${actor}`)
      if (rev === undefined) return []
      const place = `${only.process} ${only.life} ${actor}`
      const before = last.get(place)
      last.set(place, { rev, name })
      return before && before.rev > rev
        ? [
            `${name} was sent after ${before.name} and done before it: ${place} ${JSON.stringify([name, before.name].map(n => operations.find(o => o.name === n)))}`,
          ]
        : []
    }),
  )
}

const isFirst = (outcome: Outcome | { readonly kind: 'died' }): boolean =>
  outcome.kind === 'done' && outcome.done.every(({ replayed }) => !replayed)

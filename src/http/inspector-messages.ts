import type { Kind } from '../actors/kind.ts'
import { encodeId } from '../ids.ts'
import { definitionOf } from '../kinds/definition.ts'
import type { InspectedActor, InspectedTransition } from '../queries/ops/inspected.ts'
import type { Cause } from '../records/transition.ts'
import { type MachineName, resources } from '../resources.ts'

/** The messages of the package @statelyai/inspect 0.7 for state machines. */
export type InspectorMessage = {
  readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot'
  /** The ID of the actor, as in the API. Actors are not nested, so each is its own root. */
  readonly sessionId: string
  readonly rootId: string
  readonly id: string
  /** Unix time in milliseconds, as a text. */
  readonly createdAt: string
  readonly _version: string
  /** Of `@xstate.actor`: the kind, its machine as JSON, and the actor whose machine caused it. */
  readonly name?: string
  readonly definition?: string
  readonly parentId?: string
  /** Of `@xstate.actor` and `@xstate.snapshot`. */
  readonly snapshot?: Snapshot
  /** Of `@xstate.event` and `@xstate.snapshot`. */
  readonly event?: { readonly type: string }
  /** Of `@xstate.event`: what sent it, such as `api_key:key_…` or `chain:8453`. */
  readonly sourceId?: string
}

type Snapshot = {
  readonly status: 'active' | 'done'
  readonly value: string
  readonly context: Readonly<Record<string, unknown>>
}

const VERSION = '0.7.2'

export type InspectorMessages = {
  /** An actor as it is now. */
  ofActor(actor: InspectedActor): InspectorMessage
  /** A transition: the event and the state after it. If the actor was not shown before, its state before comes first. */
  ofTransition(row: InspectedTransition, cause: Cause, isShown: boolean): readonly InspectorMessage[]
}

/** Pure functions for these kinds. Nothing but the given rows and the definitions of the machines is in the messages. */
export const openInspectorMessages = (kinds: readonly Kind[]): InspectorMessages => {
  const machines = new Map(
    kinds.map(kind => [kind.name, { definition: JSON.stringify(definitionOf(kind)), finals: finalsOf(kind) }]),
  )
  const common = (kind: string, id: string, at: Date) => {
    const sessionId = encodeId(resources[kind as MachineName].prefix, id)
    return { sessionId, rootId: sessionId, createdAt: String(at.getTime()), _version: VERSION }
  }
  const snapshotOf = (kind: string, state: string, context: Snapshot['context']): Snapshot => ({
    status: machines.get(kind)?.finals.has(state) ? 'done' : 'active',
    value: state,
    context,
  })
  const actorMessage = (kind: string, id: string, at: Date, snapshot: Snapshot): InspectorMessage => {
    const fields = common(kind, id, at)
    const parentId = parentOf(snapshot.context)
    return {
      type: '@xstate.actor',
      ...fields,
      id: fields.sessionId,
      name: kind,
      definition: machines.get(kind)?.definition ?? '{}',
      ...(parentId !== undefined && { parentId }),
      snapshot,
    }
  }

  return {
    ofActor: ({ kind, id, state, context, createdAt }) =>
      actorMessage(kind, id, createdAt, snapshotOf(kind, state, context)),
    ofTransition: ({ kind, actor, rev, event, from, to, context, at, createdAt }, cause, isShown) => {
      const fields = common(kind, actor, at)
      const each = { ...fields, id: `${fields.sessionId}:${rev}`, event: { type: event } }
      const before = from === null ? snapshotOf(kind, to, context) : snapshotOf(kind, from, {})
      return [
        ...(isShown ? [] : [actorMessage(kind, actor, createdAt, before)]),
        { type: '@xstate.event', ...each, sourceId: sourceOf(cause) },
        { type: '@xstate.snapshot', ...each, snapshot: snapshotOf(kind, to, context) },
      ]
    },
  }
}

const finalsOf = ({ machine }: Kind): ReadonlySet<string> =>
  new Set(Object.values(machine.states).flatMap(({ key, type }) => (type === 'final' ? [key] : [])))

const sourceOf = ({ type, id }: Cause): string => (id === null ? type : `${type}:${id}`)

/** The payment of a refund or a dispute. */
const parentOf = ({ paymentId }: Snapshot['context']): string | undefined =>
  typeof paymentId === 'string' ? encodeId('pay', paymentId) : undefined

/** The text that is sent. A bigint has become a decimal string before, and a Date becomes a text here. */
export const textOfMessage = (message: InspectorMessage): string => JSON.stringify(message)

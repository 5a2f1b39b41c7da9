import { type } from 'arktype'
import { constantField, idField } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { count, text, textOrNull, time } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import type { TransitionRow } from '../queries/history.ts'
import { type MachineName, machineNames } from '../resources.ts'
import { type Cause, causeField } from './transition.ts'

/** A transition of any actor, as operators see it: real states, no names of people, and the fields that histories show. */
export type OpsTransition = TransitionRow & {
  readonly kind: MachineName
  /** The ID in the API. */
  readonly actorId: string
  readonly merchantId: string | null
}

/** `reason`: of an operator. */
export type OpsCause = { readonly cause: Cause; readonly reason: string | null }

export const kindName = () => type.enumerated(...machineNames)

/** As it is in the stream: a client that needs the context reads it with the transitions of the actor. */
export const streamedTransitionRecord = recordOf<Omit<OpsTransition, 'context'>, OpsCause>()('StreamedTransition', {
  object: constantField('transition'),
  id: {
    type: text,
    about: 'Unique identifier: the ID of the actor, a colon, and `rev`.',
    example: `${exampleId('payment')}:4`,
    of: ({ actorId, rev }) => `${actorId}:${rev}`,
  },
  kind: { type: kindName, about: 'Machine of the actor.', example: 'payment', of: ({ kind }) => kind },
  actorId: {
    type: text,
    about: 'ID of the actor: a payment, a refund, a payment link, a dispute or a delivery.',
    example: exampleId('payment'),
    of: ({ actorId }) => actorId,
  },
  merchantId: {
    type: textOrNull,
    about: 'Merchant that the actor belongs to.',
    example: idField('merchant', () => '').example,
    of: ({ merchantId }) => merchantId && encodeId('mer', merchantId),
  },
  rev: {
    type: count,
    about: 'Number of the change. The creation of the actor is 1, and each change is one more.',
    example: 4,
    of: ({ rev }) => rev,
  },
  event: { type: text, about: 'Event that the machine took.', example: 'finalized', of: ({ event }) => event },
  from: {
    type: textOrNull,
    about: 'State before the change. Null for the creation.',
    example: 'processing',
    of: ({ from }) => from,
  },
  to: { type: text, about: 'State after the change. It can be the same.', example: 'success', of: ({ to }) => to },
  at: {
    type: time,
    about: 'Time of the change. ISO 8601 in UTC, with milliseconds.',
    example: example.later,
    of: ({ at }) => at.toISOString(),
  },
  cause: { ...causeField, of: (_, { cause }) => causeField.render(cause) },
  reason: {
    type: textOrNull,
    about: 'Why an operator has sent the event. Null for other causes.',
    example: null,
    of: (_, { reason }) => reason,
  },
})

export const opsTransitionRecord = recordOf<OpsTransition, OpsCause>()('OpsTransition', {
  ...streamedTransitionRecord.fields,
  context: {
    type: () => type({ '[string]': 'unknown' }).or('null'),
    about:
      'Facts of the actor after the change, without personal data and metadata. Null for a change that is recorded in another table, such as the start of a delivery attempt.',
    example: { amountMinor: 4900, currency: 'EUR', amountReceived: '49000000' },
    of: ({ context }) => context,
  },
})

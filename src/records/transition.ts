import { type } from 'arktype'
import { constantField } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { count, text, textOrNull, time } from '../fields/wire.ts'
import type { TransitionRow } from '../queries/history.ts'

export type Cause = {
  readonly type: 'api_key' | 'member' | 'customer' | 'timer' | 'chain' | 'operator' | 'system'
  readonly id: string | null
  readonly name: string | null
}

/** What the row of a transition does not have. */
export type TransitionAdditions = { readonly recordId: string; readonly cause: Cause }

const cause = groupOf<Cause>()({
  type: {
    type: () => type("'api_key' | 'member' | 'customer' | 'timer' | 'chain' | 'operator' | 'system'"),
    about:
      '`api_key`, `member` or `customer`: who sent the request. `timer`: a time has passed. `chain`: something was observed on a chain. `operator`: an operator of the server. `system`: the server itself.',
    example: 'chain',
    of: each => each.type,
  },
  id: {
    type: textOrNull,
    about:
      'ID of the API key or of the member, the chain ID, or the address of the refund signer that signed. Null for others.',
    example: '8453',
    of: ({ id }) => id,
  },
  name: {
    type: textOrNull,
    about: 'Name of the API key, e-mail address of the member, or name of the chain. Null for others.',
    example: 'Base',
    of: ({ name }) => name,
  },
})

export const causeField = {
  inside: cause.inside,
  type: cause.type,
  about: 'What caused the change.',
  example: cause.example,
  render: cause.render,
}

export const transitionRecord = recordOf<TransitionRow, TransitionAdditions>()('Transition', {
  object: constantField('transition'),
  id: {
    type: text,
    about: 'Unique identifier: the ID of the object, a colon, and `rev`.',
    example: `${exampleId('payment')}:4`,
    of: ({ rev }, { recordId }) => `${recordId}:${rev}`,
  },
  rev: {
    type: count,
    about: 'Number of the change. The creation of the object is 1, and each change is one more.',
    example: 4,
    of: ({ rev }) => rev,
  },
  event: {
    type: text,
    about: 'What happened. These names are for people and can change.',
    example: 'finalized',
    of: ({ event }) => event,
  },
  from: {
    type: textOrNull,
    about: 'Status before the change. Null for the creation.',
    example: 'processing',
    of: ({ from }) => from && statusOf(from),
  },
  to: {
    type: text,
    about: 'Status after the change. It can be the same.',
    example: 'success',
    of: ({ to }) => statusOf(to),
  },
  at: {
    type: time,
    about: 'Time of the change. ISO 8601 in UTC, with milliseconds.',
    example: example.later,
    of: ({ at }) => at.toISOString(),
  },
  cause: { ...causeField, of: (_, additions) => causeField.render(additions.cause) },
})

/** The API has no status for a delivery that is being sent. No other machine has this state. */
const statusOf = (state: string): string => (state === 'sending' ? 'pending' : state)

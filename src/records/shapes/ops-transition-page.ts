import { type } from 'arktype'
import { exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { textOrNull } from '../../fields/wire.ts'
import { opsTransitionRecord } from '../ops-transition.ts'

/** A page of the transitions of all actors, which may end before it is full. */
export const opsTransitionPage = shape({
  name: 'OpsTransitionPage',
  type: () =>
    type({
      object: "'list'",
      data: opsTransitionRecord.type().array(),
      has_more: 'boolean',
      continueAfter: textOrNull(),
    }),
  example: {
    object: 'list',
    data: [opsTransitionRecord.example],
    has_more: true,
    continueAfter: `${exampleId('payment')}:2`,
  },
  parts: [opsTransitionRecord],
  inside: {
    continueAfter:
      'The page is not full, because it has looked at 20,000 transitions up to this one. Send it as `startingAfter` to go on. Null if the page is full or the list has ended.',
  },
})

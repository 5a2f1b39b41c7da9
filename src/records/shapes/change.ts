import { type Type, type } from 'arktype'
import { exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { text } from '../../fields/wire.ts'
import { eventTypes, machineObjects } from '../../resources.ts'

/** An event of the stream of a merchant. */
export const changeShape = shape({
  name: 'Change',
  type: () =>
    type({
      object: type.enumerated(...Object.values(machineObjects)) as Type<string>,
      id: text(),
      status: text(),
      event: type.enumerated(...eventTypes, null) as Type<string | null>,
    }),
  example: { object: 'payment', id: exampleId('payment'), status: 'success', event: 'payment.succeeded' },
  inside: {
    object: 'Type of the object that has changed.',
    id: 'ID of the object that has changed.',
    status: 'Status of the object after the change. It can be the same as before.',
    event: 'Type of the event that the change has caused. Null if there is none.',
  },
})

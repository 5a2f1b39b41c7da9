import { type } from 'arktype'
import { example } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { txHash } from '../../fields/wire.ts'

export const simulationShape = shape({
  name: 'Simulation',
  type: () => type({ transactions: txHash().array() }),
  example: { transactions: [example.txHash] },
})

import { type } from 'arktype'
import { shape } from './shape.ts'
import { example, txHash } from './wire.ts'

export const simulationShape = shape({
  name: 'Simulation',
  type: () => type({ transactions: txHash().array() }),
  example: { transactions: [example.txHash] },
})

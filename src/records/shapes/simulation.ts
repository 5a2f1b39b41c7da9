import { type } from 'arktype'
import type { Shape } from './shape.ts'
import { example, txHash } from './wire.ts'

export const simulationShape: Shape = {
  name: 'Simulation',
  type: type({ transactions: txHash.array() }),
  example: { transactions: [example.txHash] },
}

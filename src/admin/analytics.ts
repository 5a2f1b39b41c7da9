import { rebuildPaymentSums } from '../queries/payment-sums.ts'
import { command } from './command.ts'

export const analyticsCommands = [
  command({
    name: 'analytics rebuild',
    does: 'makes the figures of merchants from the history of their payments',
    options: {},
    run: async ({ sql, print }) => {
      const since = await rebuildPaymentSums(sql)
      print('The figures of all merchants are made anew')
      if (since) print(`Days before ${since.toISOString()} are kept as they were, because their history was dropped`)
    },
  }),
]

import { rebuildMachineSums } from '../actors/machine-sums.ts'
import { kinds } from '../kinds/all.ts'
import { command } from './command.ts'

export const machineCommands = [
  command({
    name: 'machines rebuild',
    does: 'makes the counts of the state machines from the tables',
    options: {},
    run: async ({ sql, print }) => {
      await rebuildMachineSums(sql, kinds)
      print('The counts, flows and durations of all state machines are made anew')
    },
  }),
]

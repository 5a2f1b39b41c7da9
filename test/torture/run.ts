import { parseArgs } from 'node:util'
import { torture } from './torture.ts'

/**
 * `bun run torture [--seed N] [--seconds S] [--only TEXT]`: a model checker of the actors' core. With --only, just the
 * faults whose name contains TEXT are injected, and small faults. Exits with 1 when a promise was broken.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    seconds: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
  },
})
const [seed, seconds] = [Number(values.seed), Number(values.seconds)]
if (!Number.isSafeInteger(seed) || !(seconds > 0)) throw new Error('give --seed a whole number, --seconds one above 0')

/** How many violations are printed. */
const SHOWN = 20

console.log(`Torture with --seed ${seed} for ${seconds} s`)
const broken = await torture({ seed, seconds, only: values.only, print: line => console.log(line) })
for (const line of broken.slice(0, SHOWN)) console.log(`BROKEN ${line}`)
console.log(broken.length === 0 ? 'Every promise was kept' : `${broken.length} violations; repeat with --seed ${seed}`)
process.exit(broken.length === 0 ? 0 : 1)

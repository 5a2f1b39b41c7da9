import { parseArgs } from 'node:util'
import { chaos } from './chaos.ts'

/** `bun run chaos [--seed N] [--seconds N]`: the service with random faults. Exits with 1 when a promise was broken. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    seconds: { type: 'string', default: '60' },
  },
})
const [seed, seconds] = [Number(values.seed), Number(values.seconds)]
if (!Number.isSafeInteger(seed) || !(seconds > 0)) throw new Error('give --seed a whole number, --seconds one above 0')

console.log(`Chaos with --seed ${seed} for ${seconds} s`)
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
const { signal } = stopping
const broken = await chaos({ seed, seconds, print: line => console.log(line), signal }).catch(error => {
  if (!signal.aborted) throw error
  console.log(`Stopped; repeat with --seed ${seed}`)
  process.exit(130)
})
for (const line of broken) console.log(`BROKEN ${line}`)
console.log(
  broken.length === 0 ? 'Nothing was lost' : `${broken.length} promises were broken; repeat with --seed ${seed}`,
)
process.exit(broken.length === 0 ? 0 : 1)

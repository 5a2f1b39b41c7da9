import { setTimeout as sleep } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'

/**
 * The peer, in a process of its own: `bun dbos-program.ts <url> <callers> <milliseconds> <warm-up milliseconds>`.
 * Each caller runs one workflow after the other; each step writes its result durably. Prints the rate and the number of
 * steps that must be in the database.
 */
const [url = '', callers = '32', forMs = '4000', warmUpMs = '1000'] = process.argv.slice(2)

/** Long workflows favour the peer: the writes at their begin and end are not counted. */
const STEPS = 20

const silent = { info: () => {}, debug: () => {}, warn: () => {}, error: (entry: unknown) => console.error(entry) }

// As much as a meter has, so that both write the same.
const step = DBOS.registerStep(
  async (ticks: number) => ({
    ticks,
    state: ticks % 2 === 0 ? 'low' : 'high',
    amountMinor: 12_345,
    currency: 'EUR',
    owner: 'somebody@example.com',
  }),
  { name: 'tick' },
)
let steps = 0
const workflow = DBOS.registerWorkflow(
  async () => {
    for (let n = 1; n <= STEPS; n++) {
      const written = await step(n)
      if (written.ticks !== n) throw new Error(`a step returned ${JSON.stringify(written)}`)
      steps++
    }
  },
  { name: 'ticks' },
)

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: url,
  // The pool has its default of 10 connections: with one per caller it was a fifth slower.
  logger: silent,
})
await DBOS.launch()

let stopping = false
const caller = async (): Promise<void> => {
  while (!stopping) await workflow()
}
const calling = Promise.all(Array.from({ length: Number(callers) }, caller))
await sleep(Number(warmUpMs))
// Between two moments at which all callers are busy, without the ends of workflows.
const before = { steps, at: performance.now() }
await sleep(Number(forMs))
const perSecond = ((steps - before.steps) / (performance.now() - before.at)) * 1_000
stopping = true
await calling
await DBOS.shutdown()
console.log(JSON.stringify({ perSecond, steps }))
process.exit(0)

import { setTimeout as sleep } from 'node:timers/promises'
import { kinds } from '../../src/kinds/all.ts'
import { openInstance } from '../actors/lamps.ts'
import { carryOut, paymentSteps, touch } from './streams-payments.ts'
import type { WriterOptions } from './streams-writer.ts'

/**
 * Another process of the service, which commits changes of one merchant through the actors' core at a steady rate:
 * `bun streams-writer-program.ts <options>`. On SIGTERM it finishes the payments that it has begun.
 */
const options = JSON.parse(process.argv[2] ?? '') as WriterOptions
const { databaseUrl, perSecond, changesOfPayment, changes, paid, first, ...owned } = options
/** The share of changes of `paid`. */
const TOUCHED = 0.1
const MOST_IN_FLIGHT = 400

const { actors, close } = await openInstance(databaseUrl, { kinds })
let over = false
process.on('SIGTERM', () => {
  over = true
})

const running = new Set<Promise<void>>()
let made = 0
const run = (work: Promise<void>, count: number): void => {
  const one = work.then(() => {
    made += count
    running.delete(one)
  })
  running.add(one)
}

const pay = async (n: number): Promise<void> => {
  for (const commands of paymentSteps(owned, n).steps) await carryOut(actors, commands)
}

const touched = paid.map(actor => ({ actor, turn: 0, last: Promise.resolve() }))
const touchNext = (n: number): Promise<void> => {
  const one = touched[n % touched.length]
  if (!one) return Promise.resolve()
  const command = touch(one.actor, one.turn++)
  one.last = one.last.then(() => carryOut(actors, [command]))
  return one.last
}

console.log('ready')
const began = performance.now()
for (let [payments, touches] = [0, 0]; !over && made < changes; await sleep(5)) {
  const due = ((performance.now() - began) / 1_000) * perSecond
  const isFree = () => running.size < MOST_IN_FLIGHT
  for (; payments < (due * (1 - TOUCHED)) / changesOfPayment && isFree(); payments++)
    run(pay(first + payments), changesOfPayment)
  for (; touches < due * TOUCHED && isFree(); touches++) run(touchNext(touches), 1)
}
await Promise.all(running)
// Leaves these payments as they were, for the next writer.
await Promise.all(touched.map(({ turn }, n) => (turn % 2 === 1 ? touchNext(n) : undefined)))
await close()
process.exit(0)

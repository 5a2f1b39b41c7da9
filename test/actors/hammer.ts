import { createHash } from 'node:crypto'
import { Unavailable } from '../../src/actors/command.ts'
import { eventCommand, openInstance } from './lamps.ts'

/**
 * A process that sends commands to lamps as fast as possible: `bun hammer.ts <url> <name> <from> <callers> <lamp,…>`.
 * The n-th command of a name always has the same id and the same lamp, so that another process can continue where
 * this one was killed. Prints `done <n>` for every command whose outcome it knows.
 */
const [url = '', name = '', from = '0', callers = '32', list = ''] = process.argv.slice(2)
const lamps = list.split(',')

const digest = (n: number): string => createHash('sha256').update(`${name} ${n}`).digest('hex')

const commandOf = (n: number) => {
  const hash = digest(n)
  const id = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-${hash.slice(12, 16)}-${hash.slice(16, 20)}-${hash.slice(20, 32)}`
  const lamp = lamps[Number.parseInt(hash.slice(32, 40), 16) % lamps.length] ?? ''
  return { ...eventCommand(lamp, 'flash'), id, cause: `${name} ${n}` }
}

const instance = await openInstance(url)
let next = Number(from)
let stopping = false
process.on('SIGTERM', () => {
  stopping = true
})
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))

const hammer = async (): Promise<void> => {
  while (!stopping) {
    const n = next++
    for (let printed = false; !printed; ) {
      try {
        const outcome = await instance.actors.dispatch(commandOf(n))
        if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
        process.stdout.write(`done ${n}\n`)
        printed = true
      } catch (error) {
        // The same command, repeated until its outcome is known.
        if (!(error instanceof Unavailable)) throw error
      }
    }
  }
}
await Promise.all(Array.from({ length: Number(callers) }, hammer))
await instance.close()
process.exit(0)

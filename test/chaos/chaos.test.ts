import { expect, test } from 'bun:test'
import { chaos } from './chaos.ts'

// The short form of `bun run chaos`; another seed chooses other faults.
test('nothing is lost while processes and the database are killed and started again', async () => {
  const printed: string[] = []
  const broken = await chaos({ seed: 2, seconds: 8, print: line => printed.push(line) })
  if (broken.length > 0) console.log(printed.join('\n'))
  expect(broken).toEqual([])
}, 240_000)

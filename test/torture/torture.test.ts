import { expect, test } from 'bun:test'
import { torture } from './torture.ts'

// The short form of `bun run torture`; another seed chooses other faults.
test('every command takes effect once and as reported while connections, processes and the database fail', async () => {
  const printed: string[] = []
  const broken = await torture({ seed: 5, seconds: 8, print: line => printed.push(line) })
  if (broken.length > 0) console.log(printed.join('\n'))
  expect(broken).toEqual([])
}, 240_000)

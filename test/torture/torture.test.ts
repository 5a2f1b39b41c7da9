import { expect, test } from 'bun:test'
import { torture } from './torture.ts'

// The short form of `bun run torture`; with any other seed other things go wrong.
test('every command takes effect once and as answered while connections, processes and the database fail', async () => {
  const said: string[] = []
  const broken = await torture({ seed: 5, seconds: 8, say: line => said.push(line) })
  if (broken.length > 0) console.log(said.join('\n'))
  expect(broken).toEqual([])
}, 240_000)

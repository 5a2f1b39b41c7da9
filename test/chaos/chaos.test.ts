import { expect, test } from 'bun:test'
import { chaos } from './chaos.ts'

// The short form of `bun run chaos`; with any other seed other things go wrong.
test('nothing is lost while processes and the database are killed and started again', async () => {
  const said: string[] = []
  const broken = await chaos({ seed: 2, seconds: 8, say: line => said.push(line) })
  if (broken.length > 0) console.log(said.join('\n'))
  expect(broken).toEqual([])
}, 240_000)

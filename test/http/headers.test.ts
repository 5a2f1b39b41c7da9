import { expect, test } from 'bun:test'
import { openHeaders } from '../../src/http/headers.ts'

test('each answer has its own headers and none of the answer before, whatever came between', () => {
  const headersOf = openHeaders()
  const names = ['a', 'b', 'c', 'set-cookie', 'content-type']
  const values = ['', '1', '2', 'two words']
  // Every set of names and values that four steps of three primes come by, in an order that mixes them.
  for (let n = 0; n < 5_000; n++) {
    const fields: Record<string, string> = {}
    for (const [at, name] of names.entries()) {
      const pick = Math.floor(((n * 7919 + at * 104729) % 6151) / (at + 1)) % (values.length + 2)
      const value = values[pick]
      if (value !== undefined) fields[name] = value
    }
    const answer = new Response('', { headers: headersOf(fields) })
    // What follows changes nothing of it.
    headersOf({ a: 'changed', z: 'another' })
    headersOf({ ...fields, b: 'changed' })
    const { 'content-type': type = 'none', ...rest } = Object.fromEntries(answer.headers)
    const { 'content-type': wanted = type, ...others } = fields
    expect([type, rest]).toEqual([wanted, others])
    // Nor is what the server writes into it anybody else's.
    answer.headers.set('b', 'written later')
    answer.headers.set('y', 'written later')
  }
})

test('a field that no header can have leaves nothing behind', () => {
  const headersOf = openHeaders()
  headersOf({ a: '1', b: '1' })
  expect(() => headersOf({ a: '2', b: 'two\nlines' })).toThrow()
  expect(Object.fromEntries(headersOf({ a: '1', b: '1' }))).toEqual({ a: '1', b: '1' })
  expect(() => headersOf({ 'no name': '1' })).toThrow()
  expect(Object.fromEntries(headersOf({ a: '1', b: '1' }))).toEqual({ a: '1', b: '1' })
})

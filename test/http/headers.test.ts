import { expect, test } from 'bun:test'
import { openHeaders } from '../../src/http/headers.ts'

test('each response has its own headers and none of the previous response', () => {
  const headersOf = openHeaders()
  const names = ['request-id', 'content-type', 'ratelimit', 'set-cookie', 'constructor']
  const values = ['', '1', '2', 'two words']
  const made: { readonly fields: Record<string, string>; readonly answer: Response }[] = []
  for (let n = 0; n < 5_000; n++) {
    const fields: Record<string, string> = {}
    // Mostly the names of the previous response, with other values.
    const among = Math.floor(n / 5) * 7919
    for (const [at, name] of names.entries()) {
      if (((among >> at) & 1) === 1) fields[name] = values[(n * 31 + at * 17 + (n >> 3)) % values.length] ?? ''
    }
    const answer = new Response(null, { headers: headersOf(fields) })
    made.push({ fields, answer })
    // A header that the server adds does not appear in other responses.
    if (n % 3 === 0) {
      const other = new Response(null, { headers: headersOf(fields) })
      other.headers.set('content-type', 'written later')
      other.headers.set('content-length', '0')
    }
  }
  for (const { fields, answer } of made) expect(Object.fromEntries(answer.headers)).toEqual(fields)
})

test('an invalid header name leaves nothing behind', () => {
  const headersOf = openHeaders()
  headersOf({ a: '1', b: '1' })
  expect(() => headersOf({ a: '2', b: 'two\nlines' })).toThrow()
  expect(Object.fromEntries(headersOf({ a: '1', b: '1' }))).toEqual({ a: '1', b: '1' })
  expect(() => headersOf({ 'no name': '1' })).toThrow()
  expect(Object.fromEntries(headersOf({ a: '1', b: '1' }))).toEqual({ a: '1', b: '1' })
})

import { expect, test } from 'bun:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTimeouts } from '../../src/http/patience.ts'

/** Appends its second argument to the result. */
const patience = (ms: number, make = (text: string, more: string) => text + more) =>
  openTimeouts(ms, { make, late: () => new Error('late'), failed: error => new Error(`failed: ${error}`) })

test('the made result is returned, and an error while making it rejects', async () => {
  const inTime = patience(10_000)
  expect(await inTime(Promise.resolve('an answer'), ' to this')).toBe('an answer to this')
  expect(await inTime(Promise.resolve('an answer'), ' to that')).toBe('an answer to that')
  await expect(inTime(Promise.reject('broken off'), '')).rejects.toThrow('failed: broken off')
  const useless = patience(10_000, () => {
    throw new Error('no use')
  })
  await expect(useless(Promise.resolve(''), '')).rejects.toThrow('no use')
})

test('a result that arrives after the timeout is not processed', async () => {
  let made = 0
  const inTime = patience(20, text => {
    made++
    return text
  })
  const { promise, resolve } = Promise.withResolvers<string>()
  await expect(inTime(promise, '')).rejects.toThrow('late')
  resolve('too late')
  await sleep(10)
  expect(made).toBe(0)
})

import { expect, test } from 'bun:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTimeouts } from '../../src/http/patience.ts'

/** Makes an answer longer by what it is about. */
const patience = (ms: number, make = (text: string, more: string) => text + more) =>
  openTimeouts(ms, { make, late: () => new Error('late'), failed: error => new Error(`failed: ${error}`) })

test('what is made of an answer is answered, and what is thrown meanwhile rejected', async () => {
  const inTime = patience(10_000)
  expect(await inTime(Promise.resolve('an answer'), ' to this')).toBe('an answer to this')
  expect(await inTime(Promise.resolve('an answer'), ' to that')).toBe('an answer to that')
  await expect(inTime(Promise.reject('broken off'), '')).rejects.toThrow('failed: broken off')
  const useless = patience(10_000, () => {
    throw new Error('no use')
  })
  await expect(useless(Promise.resolve(''), '')).rejects.toThrow('no use')
})

test('nothing is made of an answer that comes after its refusal', async () => {
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

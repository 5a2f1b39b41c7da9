import { expect, test } from 'bun:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPatience } from '../../src/http/patience.ts'

const patience = (ms: number) =>
  openPatience<string>(
    ms,
    () => new Error('late'),
    error => new Error(`failed: ${error}`),
  )

test('what is made of an answer is answered, and what is thrown meanwhile rejected', async () => {
  const inTime = patience(10_000)
  expect(await inTime(Promise.resolve('an answer'), text => text.length)).toBe(9)
  expect(await inTime(Promise.resolve('an answer'), async text => text)).toBe('an answer')
  const fails = () => {
    throw new Error('no use')
  }
  await expect(inTime(Promise.resolve(''), fails)).rejects.toThrow('no use')
  await expect(inTime(Promise.resolve(''), async () => fails())).rejects.toThrow('no use')
  await expect(inTime(Promise.reject('broken off'), text => text)).rejects.toThrow('failed: broken off')
})

test('nothing is made of an answer that comes after its refusal', async () => {
  const inTime = patience(20)
  const { promise, resolve } = Promise.withResolvers<string>()
  let made = 0
  await expect(inTime(promise, () => made++)).rejects.toThrow('late')
  resolve('too late')
  await sleep(10)
  expect(made).toBe(0)
})

import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { signIn } from '../../src/commands/sign-in.ts'
import { authRoutes } from '../../src/http/auth.ts'
import { apiServer } from '../harness/api.ts'
import { database } from '../harness/database.ts'
import { password } from '../http/visitor.ts'
import { floodedRatios, insertPeople } from './flooded.ts'

const open = () => apiServer({ routes: authRoutes, env: { SIGN_UP: 'open' } })

const newOrigin = (n: number) => {
  const address = `10.9.${n >> 8}.${n & 255}`
  return { address, network: address, site: address, userAgent: null }
}

/** How often the first list has the larger value: a half when neither is larger. */
const shareLarger = (ones: readonly number[], others: readonly number[]): number => {
  let larger = 0
  for (const one of ones) for (const other of others) larger += one > other ? 1 : one === other ? 0.5 : 0
  return larger / (ones.length * others.length)
}

test('over 200 tries an unknown account takes as long as a wrong password', async () => {
  await using server = await open()
  await insertPeople(server.sql, 100, await server.api.passwords.hash('tests', password))
  const timeOf = async (email: string, n: number) => {
    const began = performance.now()
    await signIn(server.api, { email, password: 'a wrong one' }, newOrigin(n)).catch(() => {})
    return performance.now() - began
  }
  for (let i = 0; i < 10; i++) await timeOf(`${randomUUID()}@lamps.example`, 1_000 + i)
  const unknown: number[] = []
  const wrong: number[] = []
  for (let i = 0; i < 100; i++) {
    // Alternating, so that neither profits from warm caches.
    const known = async () => void wrong.push(await timeOf(`person${i}@lamps.example`, 2 * i))
    const stranger = async () => void unknown.push(await timeOf(`nobody${i}@lamps.example`, 2 * i + 1))
    for (const next of i % 2 ? [known, stranger] : [stranger, known]) await next()
  }
  // By chance it is within 0.15 of a half in 999 of 1,000 runs.
  expect(shareLarger(unknown, wrong)).toBeWithin(0.35, 0.65)
})

test('200 simultaneous sign-ins do not hold up another route', async () => {
  await using db = await database()
  const ratios = await floodedRatios(db, { rounds: 3, enough: 5 })
  // Hashed on the thread that answers they would make it a hundred times. How little it is, `bun run bench access` says.
  expect(Math.min(...ratios)).toBeLessThanOrEqual(5)
})

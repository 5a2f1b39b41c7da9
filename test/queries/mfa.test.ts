import { expect, test } from 'bun:test'
import { enableMfa, setUpMfa } from '../../src/queries/mfa.ts'
import { database } from '../harness/database.ts'

const by = { actor: 'usr_anna', address: '192.0.2.1' }

const start = async () => {
  const db = await database()
  const id = crypto.randomUUID()
  await db.sql`select create_account(${id}, 'anna@lamps.example', 'a hash')`
  return { ...db, id }
}

test('a code for a secret that is replaced during the check enables nothing', async () => {
  await using db = await start()
  await setUpMfa(db.sql, db.id, 'the first, sealed')
  await setUpMfa(db.sql, db.id, 'the second, sealed')
  const recoveryHashes = [new Uint8Array(32)]
  const enable = (knownSecret: string) => enableMfa(db.sql, db.id, { knownSecret, step: 7, recoveryHashes }, by)
  expect((await enable('the first, sealed'))?.outcome).toBe('conflict')
  expect((await enable('the second, sealed'))?.outcome).toBe('right')
  expect((await enable('the second, sealed'))?.outcome).toBe('conflict')
  expect(await setUpMfa(db.sql, db.id, 'the third, sealed')).toBe(false)
})

test('of two simultaneous confirmations one enables MFA, and its recovery codes are valid', async () => {
  await using db = await start()
  await setUpMfa(db.sql, db.id, 'sealed')
  const enable = (n: number) =>
    enableMfa(db.sql, db.id, { knownSecret: 'sealed', step: 7, recoveryHashes: [new Uint8Array(32).fill(n)] }, by)
  const outcomes = await Promise.all([1, 2, 3, 4].map(enable))
  expect(outcomes.map(one => one?.outcome).sort()).toEqual(['conflict', 'conflict', 'conflict', 'right'])
  const winner = outcomes.findIndex(one => one?.outcome === 'right') + 1
  const [codes] = await db.sql`select get_byte(hash, 0) as first from recovery_codes`
  expect(codes).toEqual({ first: winner })
})

import { expect, test } from 'bun:test'
import { insertExportTicket } from '../../src/queries/exports.ts'
import { database } from '../harness/database.ts'
import { runRetention } from './retaining.ts'

test('expired tickets of exports are deleted without a further export and without an audit, and valid ones stay', async () => {
  await using db = await database()
  const [expired, valid] = [Buffer.from('expired'), Buffer.from('valid')]
  const query = { q: 'ada@example.com' }
  for (const hash of [expired, valid])
    await insertExportTicket(db.sql, {
      ...{ hash, merchantId: crypto.randomUUID(), sessionId: crypto.randomUUID() },
      request: { kind: 'payments', format: 'csv', query },
    })
  await db.sql`update export_tickets set expires_at = now() - interval '1 ms' where hash = ${expired}`
  expect(await runRetention(db)).toEqual([])
  expect(await db.sql`select hash from export_tickets`).toEqual([{ hash: valid }] as never)
})

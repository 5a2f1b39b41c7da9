import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { database } from './harness/database.ts'
import { readSchema } from './harness/schema.ts'

test('the migrations make exactly the schema in test/schema.sql, which `bun run schema` writes anew', async () => {
  await using db = await database()
  expect(await readSchema(db.sql)).toBe(await readFile(new URL('schema.sql', import.meta.url), 'utf8'))
})

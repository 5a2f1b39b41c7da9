import { expect, test } from 'bun:test'
import { database } from '../harness/database.ts'

test('arrays are sent and read unchanged', async () => {
  await using db = await database()
  const texts = ['', 'a', 'a,b', '"', '\\', '{}', 'NULL', 'null', ' ', 'line\nbreak', "it's", '“ü😀']
  const [row] = await db.sql`
    select ${texts}::text[] as texts, ${[]}::text[] as none, ${[null, 'x']}::text[] as some,
      ${[1, -2]}::integer[] as numbers, ${['9007199254740993']}::bigint[] as large, ${[0.5]}::float8[] as floats,
      ${['01a1ff22-fee8-70c3-9ec3-555ca7b77974']}::uuid[] as ids, array[true, false] as truths,
      array['\\xff00'::bytea] as bytes, array['2026-11-21 12:00:00+00'::timestamptz] as times,
      array['{"a": [1]}'::jsonb] as values`
  expect({ ...row }).toEqual({
    texts,
    none: [],
    some: [null, 'x'],
    numbers: [1, -2],
    large: ['9007199254740993'],
    floats: [0.5],
    ids: ['01a1ff22-fee8-70c3-9ec3-555ca7b77974'],
    truths: [true, false],
    bytes: [Buffer.from([255, 0])],
    times: [new Date('2026-11-21T12:00:00Z')],
    values: [{ a: [1] }],
  })
  expect(await db.sql`select from unnest(${texts}::text[]) as t where t = any(${texts})`).toHaveLength(texts.length)
})

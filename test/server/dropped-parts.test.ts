import { expect, test } from 'bun:test'
import { database } from '../harness/database.ts'
import { daysAgo } from './retaining.ts'

test('the row of a part and day has the number, the last ID and the time of what was dropped, and the part how far', async () => {
  await using db = await database()
  const { sql } = db
  const [a, b, c] = ['a', 'b', 'c'].map(digit => `0193${digit}000-0000-7000-8000-000000000000`)
  const nextDay = new Date(daysAgo(500).setUTCHours(0, 0, 0, 0))
  const day = new Date(nextDay.getTime() - 1)
  const nameOf = (time: Date) => time.toISOString().slice(0, 10)
  const record = async (before: Date, dropped: readonly (readonly [id: string | undefined, created: Date])[]) => {
    const [ids, created] = [dropped.map(([id]) => id ?? ''), dropped.map(([, at]) => at.toISOString())]
    await sql`select record_dropped('history', ${before}, ${ids}::uuid[], ${created}::timestamptz[])`
  }
  const parts = () => sql`
    select day::text as day, dropped::integer as dropped, last_id, dropped_at > min(dropped_at) over () as is_later,
      digest = dropped_part_digest(part, day, dropped, last_id, dropped_at) as is_as_written
    from dropped_parts order by day`
  const progress = () =>
    sql<{ dropped: number; before: Date }[]>`
      select dropped::integer as dropped, before from retention_progress where part = 'history'`
  const [earlier, later, latest] = [daysAgo(402), daysAgo(401), daysAgo(400)]
  await record(later, [
    [a, day],
    [c, day],
    [b, day],
    [b, nextDay],
  ])
  const written = { is_as_written: true }
  expect(await parts()).toEqual([
    { day: nameOf(day), dropped: 3, last_id: c, is_later: false, ...written },
    { day: nameOf(nextDay), dropped: 1, last_id: b, is_later: false, ...written },
  ] as never)
  await record(earlier, [[a, day]])
  await record(latest, [])
  expect(await parts()).toEqual([
    { day: nameOf(day), dropped: 4, last_id: a, is_later: true, ...written },
    { day: nameOf(nextDay), dropped: 1, last_id: b, is_later: false, ...written },
  ] as never)
  expect(await progress()).toEqual([{ dropped: 5, before: later }] as never)
})

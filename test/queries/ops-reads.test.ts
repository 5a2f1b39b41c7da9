import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { registered } from '../../src/actors/kind.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { connectForRequests } from '../../src/postgres/request-pool.ts'
import { findStuck } from '../../src/queries/ops/stuck.ts'
import { type FeedPlace, listFeed, type TransitionFilter } from '../../src/queries/ops/transitions.ts'
import { lamp } from '../actors/lamp.ts'
import { lampInstance } from '../actors/lamps.ts'

const MANY = 30_000
/** Blocks of tables and indexes that a page may read. */
const MOST_BLOCKS = 50

const merchants = { big: randomUUID(), small: randomUUID(), none: randomUUID() }
const instance = await lampInstance()
afterAll(() => instance[Symbol.asyncDispose]())
const requests = connectForRequests(instance.url)
afterAll(() => requests.end({ timeout: 1 }))

beforeAll(async () => {
  // Lamps that are off for as many minutes as their number, of the big merchant but for a few; a hundred in a transaction.
  await instance.sql.unsafe(`
    do $$ begin
      for most in reverse ${MANY}..1 by 100 loop
        with made as (
          select gen_random_uuid() as id, now() - n * interval '1 minute' as at,
            (case when n % 10000 = 0 then '${merchants.small}' else '${merchants.big}' end)::uuid as merchant
          from generate_series(most, most - 99, -1) n),
        lamps as (
          insert into lamps (id, state, rev, version, created_at, updated_at, switched, burn_ms)
          select id, 'off', 1, 1, at, at, 0, 1000 from made)
        insert into transitions (
          actor, rev, kind, command, keyed, event, to_state, context, at, era, merchant_id, livemode, actor_created_at, digest)
        select id, 1, 'lamp', id, false, 'create', 'off', '{}', at, current_era(), merchant, false, at, ''
        from made order by at;
        commit;
      end loop;
    end $$`)
  await instance.sql`analyze`
})

/** What a read answers, and how many blocks of `transitions` and its indexes it looks at. */
const blocksOf = async <Answer>(read: (sql: Sql) => Promise<Answer>) => {
  const count = async () => {
    await requests`select pg_stat_force_next_flush()`
    const [row] = await requests<{ blocks: number }[]>`
      select (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int as blocks
      from pg_statio_user_tables where relname = 'transitions'`
    return row?.blocks ?? Number.NaN
  }
  // Plans are made before.
  await read(requests)
  const before = await count()
  const answer = await read(requests)
  return { answer, blocks: (await count()) - before }
}

const everything: TransitionFilter = {
  ...{ kind: undefined, event: undefined, state: undefined, actor: undefined, merchantId: undefined },
}

describe('a page of the transitions of all actors', () => {
  const placeAt = async (share: number): Promise<FeedPlace> => {
    const [place] = await instance.sql<FeedPlace[]>`
      select era, xid::text as xid, seq::text as seq from transitions t
      order by t.era, t.xid, t.seq offset ${share * MANY} limit 1`
    if (!place) throw new Error('there are no transitions')
    return place
  }

  for (const order of ['asc', 'desc'] as const)
    for (const [whose, merchantId] of [['all merchants', undefined], ...Object.entries(merchants)] as const)
      test(`of ${whose} is found by an index at any place, ${order}`, async () => {
        for (const after of [undefined, await placeAt(0.5)]) {
          const page = { after, limit: 20, order }
          const { answer, blocks } = await blocksOf(sql => listFeed(sql, { ...everything, merchantId }, page))
          expect(answer.lookedUpTo).toBeUndefined()
          const few = { small: after ? (order === 'asc' ? 1 : 2) : 3, none: 0 }
          expect(answer.rows).toHaveLength(whose === 'small' || whose === 'none' ? few[whose] : 21)
          expect(answer.rows.filter(row => merchantId && row.merchant_id !== merchantId)).toEqual([])
          expect(blocks).toBeLessThan(MOST_BLOCKS)
        }
      })
})

test('of thousands of stuck actors, those that have not changed for the longest time are found', async () => {
  await instance.sql`
    insert into machine_stays
    values ('week', date_trunc('week', now(), 'UTC'), 'lamp', 'off', duration_class(10), 1000)`
  const { answer, blocks } = await blocksOf(sql =>
    findStuck(sql, [registered(lamp)], { driven: { lamp: ['off'] }, limit: 10 }),
  )
  const oldest = await instance.sql<{ id: string }[]>`select id from lamps order by updated_at limit 10`
  expect(answer.map(({ id }) => id)).toEqual(oldest.map(({ id }) => id))
  expect(answer.every(({ reason }) => reason === 'dwell')).toBe(true)
  expect(blocks).toBeLessThan(MOST_BLOCKS)
})

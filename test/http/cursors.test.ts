import { describe, expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import type { Api } from '../../src/http/api.ts'
import { routes } from '../../src/http/routes.ts'
import { encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { urlOf } from '../access/elsewhere.ts'
import { insertKey } from '../access/keys.ts'
import { until } from '../harness/until.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { makeLink } from './links.ts'
import { idsOf } from './lists.ts'
import { makePayment, paid } from './payments.ts'
import { shop } from './people.ts'
import { newKey, twoShops } from './two-shops.ts'

const { server, page, ask } = await twoShops({ routes })

const newShop = async () => {
  const { merchantId } = await shop(server.api)
  const whose = { merchantId, livemode: false }
  return { whose, bearer: (await insertKey(server.sql, whose)).secret }
}

/** Oldest first from a cursor to the end, in pages of `limit`. */
const pageForward = async (
  path: string,
  bearer: string,
  from: string | undefined,
  limit: number,
): Promise<string[]> => {
  const seen: string[] = []
  for (let after = from; ; after = seen.at(-1)) {
    const cursor = after === undefined ? '' : `&startingAfter=${after}`
    const { status, text, has_more, ...list } = await page<{ id: string }>(
      `${path}?order=asc&limit=${limit}${cursor}`,
      {
        bearer,
      },
    )
    if (status !== 200) throw new Error(`the list was answered ${status}: ${text}`)
    seen.push(...idsOf(list))
    if (!has_more) return seen
  }
}

/** Locks the row, like a psql session that was left inside a transaction. */
const lockRow = async (table: 'payments' | 'payment_links', id: string) => {
  const session = connect(urlOf(server.sql), { max: 1 })
  await session`begin`
  await session`select from ${session(table)} where id = ${id} for update`
  return async () => {
    await session`rollback`
    await session.end({ timeout: 1 })
  }
}

/** Waits until a commit has begun, and so has its transaction id, and waits for a locked row. */
const untilHeldUp = () =>
  until(
    async () =>
      (
        await server.sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and backend_xid is not null`
      ).length > 0,
  )

const eventsOf = async (id: string): Promise<string[]> =>
  (await server.sql<{ id: string }[]>`select id from events where json_of(object)->>'id' = ${id} order by rev`).map(
    event => event.id,
  )

describe('paging from an id includes what an earlier transaction committed after the id was read', () => {
  test('payments and their events', async () => {
    const { whose, bearer } = await newShop()
    const { link } = await makeLink(server.api, whose)
    const release = await lockRow('payment_links', link.id)
    const actor = crypto.randomUUID()
    const slow = openOn(server.api, link.id, actor, whose)
    await untilHeldUp()
    const { id: learned } = await makePayment(server.api, whose, 'new')
    const [event = ''] = await eventsOf(learned)
    expect((await ask('GET', `/events/${event}`, { bearer })).status).toBe(200)
    expect(await pageForward('/payments', bearer, learned, 10)).toEqual([])
    expect(await pageForward('/events', bearer, event, 10)).toEqual([])
    await release()
    await slow
    const late = encodeId('pay', actor)
    expect(await pageForward('/payments', bearer, learned, 10)).toEqual([late])
    expect(await pageForward('/events', bearer, event, 10)).toEqual(await eventsOf(late))
  })

  test('refunds', async () => {
    const { whose, bearer } = await newShop()
    const [one, two] = [await paid(server.api, whose), await paid(server.api, whose)]
    const start = async (id: string) => {
      const answer = await ask('POST', `/payments/${id}/refunds`, { json: {}, bearer, headers: newKey() })
      return (answer.json as { id: string }).id
    }
    const release = await lockRow('payments', one.actor)
    const slow = start(one.id)
    await untilHeldUp()
    const learned = await start(two.id)
    expect(await pageForward('/refunds', bearer, learned, 10)).toEqual([])
    await release()
    const late = await slow
    expect(await pageForward('/refunds', bearer, learned, 10)).toEqual([late])
  })
})

/** Opens a payment on an existing link. */
const openOn = async ({ actors }: Api, link: string, actor: string, whose: ListOwner): Promise<void> => {
  const create = { ...paymentOpening, ...whose, paymentLinkId: link, windowMinutes: 30 }
  const outcome = await actors.dispatchBundle([
    { kind: 'payment_link', actor: link, event: { type: 'open_payment' } },
    { kind: 'payment', actor, create },
  ])
  expect(outcome.ok).toBe(true)
}

/** Lengthens the time between the last statement of a commit and its end, in which another commit may overtake it. */
const delayCommits = () =>
  server.sql.unsafe(`
    create function delay_commit() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(random() * 0.01);
      return null;
    end $$;
    create constraint trigger delayed after insert on payments
      deferrable initially deferred for each row execute function delay_commit();
    create constraint trigger delayed after insert on payment_links
      deferrable initially deferred for each row execute function delay_commit();
    create constraint trigger delayed after insert on events
      deferrable initially deferred for each row execute function delay_commit();`)

test('while two processes write, paging from any id lists everything committed later exactly once', async () => {
  const { whose, bearer } = await newShop()
  const pool = connect(urlOf(server.sql), { byKey: true })
  const others = await openActors({ ...server.api, sql: pool }, kinds)
  const lists = {
    '/payments': { table: 'payments', wire: (id: string) => encodeId('pay', id) },
    '/payment-links': { table: 'payment_links', wire: (id: string) => encodeId('plink', id) },
    '/events': { table: 'events', wire: (id: string) => id },
  } as const
  const present = async (path: keyof typeof lists): Promise<Set<string>> => {
    const { table, wire } = lists[path]
    const rows = await server.sql<
      { id: string }[]
    >`select id from ${server.sql(table)} where merchant_id = ${whose.merchantId}`
    return new Set(rows.map(({ id }) => wire(id)))
  }
  await delayCommits()
  const learned: { path: keyof typeof lists; id: string; known: Set<string> }[] = []
  let writing = true

  const write = async (api: Api) => {
    for (let n = 0; n < 6; n++) {
      const { id, linkId } = await makePayment(api, whose, 'success')
      const event = (await eventsOf(id)).at(-1) ?? ''
      for (const [path, one] of [
        ['/payments', id],
        ['/payment-links', linkId],
        ['/events', event],
      ] as const)
        learned.push({ path, id: one, known: await present(path) })
    }
  }
  const followed = async (path: string) => {
    const seen: string[] = []
    for (;;) {
      // Checked before reading; otherwise the last records could be written in between.
      const ended = !writing
      seen.push(...(await pageForward(path, bearer, seen.at(-1), 3)))
      if (ended) return seen
    }
  }
  const follow = Object.keys(lists).map(followed)
  const writers = Array.from({ length: 12 }, (_, n) => write(n % 2 ? server.api : { ...server.api, actors: others }))
  await Promise.all(writers)
  writing = false
  const followers = await Promise.all(follow)

  for (const [n, path] of (['/payments', '/payment-links', '/events'] as const).entries()) {
    const all = await present(path)
    const whole = followers[n] ?? []
    expect(whole.toSorted()).toEqual([...all].sort())
    for (const { id, known } of learned.filter(each => each.path === path)) {
      const read = await pageForward(path, bearer, id, 100)
      expect(read).toEqual(whole.slice(whole.indexOf(id) + 1))
      const skipped = [...all].filter(one => !known.has(one) && !read.includes(one))
      expect([id, skipped]).toEqual([id, []])
    }
  }
  await others.idle()
  await pool.end({ timeout: 1 })
}, 120_000)

import type { Kind } from '../actors/kind.ts'
import { stepper } from '../actors/step.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Check } from './audit.ts'

/** I8: walking a merchant's events by cursor tells every committed one once. */
export const auditEvents = (kinds: readonly Kind[]): Check[] => [
  {
    invariant: 'I8',
    what: 'an event that a walk of the feed misses, or tells twice',
    breaches: walk,
  },
  {
    invariant: 'I8',
    what: 'an event that no change of its actor has caused',
    breaches: sql => sql<{ id: string }[]>`
      select e.id
      from events e
      left join transitions h on h.actor = e.actor and h.rev = e.rev
      -- A test event is about an endpoint, which is no actor.
      where e.kind <> 'webhook_endpoint' and (h.actor is null or h.xid <> e.xid or h.era <> e.era)`,
  },
  {
    invariant: 'I8',
    what: 'a change that the outside was not told of',
    breaches: async sql => (await Promise.all(kinds.map(kind => findUntold(sql, kind)))).flat(),
  },
  {
    invariant: 'I8',
    what: 'an event of an actor that sorts before an earlier one of it',
    breaches: sql => sql<{ id: string }[]>`
      select id
      from (
        select id, rev, lag(rev) over (partition by actor order by era, xid, seq) as before
        from events
      ) e
      where rev < before`,
  },
]

/** What a machine says about its own changes, against what is there. */
const findUntold = (sql: Sql, kind: Kind): Promise<{ id: string }[]> => sql<{ id: string }[]>`
  select h.actor as id
  from transitions h
  join json_to_recordset(${JSON.stringify(stepper(kind).tells())}::text::json)
    as told(event text, "from" text, "to" text, type text)
    on told.event = h.event and told.from is not distinct from h.from_state and told.to = h.to_state
  where h.kind = ${kind.name} and not exists (
    select from events e where e.actor = h.actor and e.rev = h.rev and e.type = told.type)`

type Place = { merchant_id: string; livemode: boolean; era: number; xid: string; seq: string }

/** As a merchant does it, page by page, for all merchants. */
async function walk(sql: Sql): Promise<{ id: string }[]> {
  // What settles while the walk is under way may be missed by it, and is no breach.
  const [end] = await sql<Place[]>`
    select era, xid from events where is_settled(era, xid) order by era desc, xid desc limit 1`
  if (!end) return []
  const seen = new Map<string, number>()
  let at: Place | undefined = { merchant_id: NOBODY, livemode: false, era: 0, xid: '0', seq: '0' }
  while (at) {
    const page: (Place & { id: string })[] = await sql<(Place & { id: string })[]>`
      select id, merchant_id, livemode, era, xid, seq
      from events
      where (merchant_id, livemode, era, xid, seq)
        > (${at.merchant_id}, ${at.livemode}, ${at.era}, ${at.xid}::text::xid8, ${at.seq})
        and is_settled(era, xid)
      order by merchant_id, livemode, era, xid, seq
      limit 1000`
    for (const { id } of page) seen.set(id, (seen.get(id) ?? 0) + 1)
    at = page.at(-1)
  }
  const all = await sql<{ id: string }[]>`
    select id from events where (era, xid) <= (${end.era}, ${end.xid}::text::xid8)`
  const twice = [...seen].filter(([, times]) => times > 1).map(([id]) => ({ id }))
  return [...twice, ...all.filter(({ id }) => !seen.has(id))]
}

const NOBODY = '00000000-0000-0000-0000-000000000000'

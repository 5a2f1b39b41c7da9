import type { AnyStateNode } from 'xstate'
import { type Kind, snakeCase } from '../actors/kind.ts'
import { type ActorRow, rowCodec } from '../actors/rows.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Check } from './audit.ts'
import { eachRow, ROWS_AT_ONCE } from './each-row.ts'

/** I9: each row's state is the last entry of its history, and its history has no gap, fork or double effect. */
export const auditActors = (kinds: readonly Kind[]): Check[] => [...kinds.flatMap(auditKind), ...auditHistory]

const auditKind = (kind: Kind): Check[] => {
  const { name, table } = kind
  return [
    {
      invariant: 'I9',
      what: `a row of ${table} is not where its history ends`,
      breaches: sql => sql`
      select t.id
      from ${sql(table)} t
      left join lateral (
        select rev, to_state from transitions where actor = t.id order by rev desc limit 1
      ) h on true
      where h.rev is distinct from t.rev or h.to_state is distinct from t.state`,
    },
    {
      invariant: 'I9',
      what: `a history of a ${name} without its row in ${table}`,
      breaches: sql => sql`
      select h.actor as id
      from transitions h
      where h.kind = ${name} and h.rev = 1 and not exists (select from ${sql(table)} where id = h.actor)`,
    },
    {
      invariant: 'I9',
      what: `a timer of a ${name} that nothing in its history has armed`,
      breaches: sql => sql`
      select m.actor as id
      from timers m
      left join transitions h on h.actor = m.actor and h.rev = m.generation
      left join ${sql(table)} t on t.id = m.actor
      -- The timer's name ends with the state it belongs to.
      where m.kind = ${name} and (h.actor is null or t.id is null or split_part(m.name, '.', 3) <> t.state)`,
    },
    {
      invariant: 'I9',
      what: `a ${name} whose timer is gone`,
      find: async function* (sql) {
        for (const delay of leavingDelays(kind)) yield* findUnarmed(sql, kind, delay)
      },
    },
  ]
}

type Delay = { readonly state: string; readonly delay: string; readonly timer: string }

/** The delays that end a state: a state that is still there must have its timer, unless none applies to it. */
const leavingDelays = ({ machine }: Kind): Delay[] =>
  (Object.values(machine.states) as AnyStateNode[]).flatMap(node =>
    node.after
      .filter(({ target }) => target?.some(to => to !== node))
      .map(({ delay }) => ({ state: node.key, delay: String(delay), timer: `${delay}.${machine.id}.${node.key}` })),
  )

async function* findUnarmed(sql: Sql, kind: Kind, { state, delay, timer }: Delay): AsyncGenerator<string> {
  const { decode } = rowCodec(kind, Object.keys(kind.columns).map(snakeCase))
  const rows = eachRow<ActorRow>(
    after => sql`
      select t.*
      from ${sql(kind.table)} t
      where t.id > ${after} and t.state = ${state}
        and not exists (select from timers m where m.actor = t.id and m.name = ${timer})
      order by t.id
      limit ${ROWS_AT_ONCE}`,
  )
  for await (const row of rows) if (kind.timers?.[delay]?.(decode(row).context, row.updated_at)) yield row.id
}

const auditHistory: Check[] = [
  {
    invariant: 'I9',
    what: 'a history with a gap',
    breaches: sql => sql`
      select actor as id from transitions group by actor having count(*) <> max(rev) or min(rev) <> 1`,
  },
  {
    invariant: 'I9',
    what: 'a change that does not begin where the one before it ended',
    breaches: sql => sql`
      select actor as id
      from (
        select actor, rev, from_state, lag(to_state) over (partition by actor order by rev) as before
        from transitions
      ) h
      where rev > 1 and from_state <> before`,
  },
  {
    invariant: 'I8',
    what: 'a change that the feed tells before an earlier one of the same actor',
    breaches: sql => sql`
      select actor as id
      from (
        select actor, rev, lag(rev) over (partition by actor order by era, xid, seq) as before
        from transitions
      ) h
      where rev < before`,
  },
  {
    invariant: 'I9',
    what: 'a command that was carried out twice',
    breaches: sql => sql`
      select actor as id from transitions group by actor, command having count(*) > 1`,
  },
]

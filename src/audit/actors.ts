import type { AnyStateNode } from 'xstate'
import { type Kind, snakeCase } from '../actors/kind.ts'
import { type ActorRow, rowCodec } from '../actors/rows.ts'
import type { Sql } from '../postgres/connect.ts'
import { type Check, isIn, type PartCheck } from './rules/check.ts'
import { mayLackEntries } from './rules/dropped-parts.ts'
import { eachRow, ROWS_AT_ONCE } from './rules/each-row.ts'
import { gapsOf, isCreationRecorded, isGap } from './rules/unrecorded.ts'

/** I9: the state of each row is that of the last entry in its history; a history has no gap, no fork and no repeated command. */
export const auditActors = (kinds: readonly Kind[]): Check[] => [...kinds.flatMap(auditKind), ...auditHistory(kinds)]

const auditKind = (kind: Kind): Check[] => {
  const { name, table } = kind
  return [
    {
      invariant: 'I9',
      what: `a history of a ${name} without a row in ${table}`,
      breaches: sql => sql`
      select distinct h.actor as id
      from transitions h
      where h.kind = ${name} and ${isCreationRecorded(kind) ? sql`(h.rev = 1 or ${mayLackEntries(sql, sql`h`)})` : sql`true`}
        and not exists (select from ${sql(table)} where id = h.actor)`,
    },
    {
      invariant: 'I9',
      what: `a timer of a ${name} that no entry of its history has set`,
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
      what: `a ${name} whose timer is missing`,
      find: async function* (sql) {
        for (const delay of leavingDelays(kind)) yield* findUnarmed(sql, kind, delay)
      },
    },
  ]
}

type Delay = { readonly state: string; readonly delay: string; readonly timer: string }

/** The delays that end a state. A row in such a state must have the timer, unless the delay does not apply to it. */
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

/** The entries of each history, by themselves. */
export const auditHistory = (kinds: readonly Kind[]): PartCheck[] => [
  {
    invariant: 'I9',
    what: 'an entry of a history that does not follow the previous entry, in the history or in the feed',
    // One pass for all comparisons: sorting the entries takes longer than comparing them.
    breaches: (sql, part) => sql`
      select actor as id
      from (
        select actor, kind, rev, from_state, era, xid, seq, actor_created_at,
          lag(rev) over history as rev_before, lag(to_state) over history as state_before,
          lag(era) over history as era_before, lag(xid) over history as xid_before, lag(seq) over history as seq_before
        from transitions
        where ${isIn(sql, part, sql`actor`)}
        window history as (partition by actor order by rev)
      ) h
      where (rev <> coalesce(rev_before, 0) + 1 or from_state <> state_before) and not (${isGap(
        sql,
        kinds.flatMap(gapsOf),
        {
          kind: sql`h.kind`,
          from: sql`state_before`,
          to: sql`from_state`,
          revs: sql`rev - coalesce(rev_before, 0) - 1`,
        },
      )}) and not (rev <> coalesce(rev_before, 0) + 1 and ${mayLackEntries(sql, sql`h`)})
        or (era, xid, seq) <= (era_before, xid_before, seq_before)`,
  },
  {
    invariant: 'I9',
    what: 'a command that was executed twice',
    breaches: (sql, part) => sql`
      select actor as id from transitions where ${isIn(sql, part, sql`actor`)} group by actor, command having count(*) > 1`,
  },
]

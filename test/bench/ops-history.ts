import { encodeId } from '../../src/ids.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { type MachineName, resources } from '../../src/resources.ts'
import { type Changes, type Expected, type History, idOf } from './streams-compare.ts'

type Row = {
  readonly era: number
  readonly xid: string
  readonly seq: string
  readonly kind: MachineName
  readonly actor: string
  readonly merchantId: string | null
  readonly rev: number
  readonly event: string
  readonly from: string | null
  readonly to: string
  readonly at: Date
}

const PAGE = 20_000

/** Every transition of all merchants, in the order of the feed. The causes are not compared. */
export const transitionsHistory: History = {
  expected: (sql, range) => expectedTransitions(sql, range),
  creations: async () => new Map(),
  comparedOf: data => {
    const { cause: _, reason: __, ...transition } = JSON.parse(data)
    return JSON.stringify(transition)
  },
}

async function* expectedTransitions(sql: Sql, { after, end }: Changes): AsyncGenerator<Expected> {
  let [era = '0', xid = '0', seq = '0'] = after.split('.')
  const [lastEra = '', lastXid = '', lastSeq = ''] = end.split('.')
  for (;;) {
    const rows = await sql<Row[]>`
      select t.era, t.xid::text, t.seq, t.kind, t.actor, t.merchant_id as "merchantId", t.rev, t.event,
        t.from_state as "from", t.to_state as "to", t.at
      from transitions t
      where (t.era, t.xid, t.seq) > (${era}::integer, ${xid}::text::xid8, ${seq}::bigint)
        and (t.era, t.xid, t.seq) <= (${lastEra}::integer, ${lastXid}::text::xid8, ${lastSeq}::bigint)
      order by t.era, t.xid, t.seq limit ${PAGE}`
    for (const row of rows) yield { id: idOf(row), at: row.at.getTime(), data: dataOf(row) }
    const last = rows.at(-1)
    if (!last) return
    ;[era, xid, seq] = [String(last.era), last.xid, last.seq]
  }
}

const dataOf = ({ kind, actor, merchantId, rev, event, from, to, at }: Row): string => {
  const actorId = encodeId(resources[kind].prefix, actor)
  return JSON.stringify({
    ...{ object: 'transition', id: `${actorId}:${rev}`, kind, actorId },
    ...{ merchantId: merchantId && encodeId('mer', merchantId), rev, event, from, to, at: at.toISOString() },
  })
}

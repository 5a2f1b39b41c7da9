import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { encodeId } from '../../src/ids.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { type MachineName, machineObjects, resources } from '../../src/resources.ts'

/** What a client has received, compared with the tables. */
export type Comparison = {
  readonly messages: number
  readonly expected: number
  readonly missing: number
  /** Beyond those that a reconnected client may get again. */
  readonly doubled: number
  /** Creations of deliveries that a reconnected client has received again. */
  readonly repeated: number
  /** Messages that come before an earlier change, or say something else than the tables. */
  readonly wrong: number
  /** The first faults. */
  readonly faults: readonly string[]
  /** Milliseconds from each change to its message. */
  readonly lags: Float64Array
}

/** The changes of a merchant after a position, up to another one. */
export type Changes = { readonly merchantId: string; readonly after: string; readonly end: string }

/** What a stream sends of the tables. */
export type History = {
  /** The messages with an ID, in order. */
  expected(sql: Sql, range: Changes): AsyncGenerator<Expected>
  /** The messages without an ID, by their data. */
  creations(sql: Sql, range: Changes): Promise<ReadonlyMap<string, Creation>>
  /** The part of a message's data that is compared. */
  readonly comparedOf: (data: string) => string
}

type Received = {
  readonly at: number
  readonly connection: number
  readonly id: string
  readonly data: string
}

export type Expected = { readonly id: string; readonly data: string; readonly at: number }

export type Creation = { readonly data: string; readonly before: string }

/** Compares the messages of a file with what the tables have in a range. */
export const compareWithHistory = async (
  sql: Sql,
  owner: Changes,
  { file, history }: { readonly file: string; readonly history: History },
): Promise<Comparison> => {
  const creations = await history.creations(sql, owner)
  const expected = history.expected(sql, owner)
  const lags: number[] = []
  const faults: string[] = []
  const counts = { messages: 0, expected: 0, missing: 0, doubled: 0, repeated: 0, wrong: 0 }
  const fault = (what: 'missing' | 'doubled' | 'wrong', text: string) => {
    counts[what]++
    if (faults.length < 10) faults.push(`${what}: ${text}`)
  }
  /** The connection that has brought the creation of a delivery, and whether a message with an ID has followed. */
  const created = new Map<string, { connection: number; place: number }>()
  let place = 0
  let last: Received | undefined

  for await (const message of receivedMessages(file)) {
    const position = message.id || creations.get(message.data)?.before
    if (position !== undefined && !isAfter(owner.end, position)) continue
    counts.messages++
    if (message.id === '') {
      const before = created.get(message.data)
      const creation = creations.get(message.data)
      if (!creation) fault('wrong', message.data)
      else if (last && isAfter(last.id, creation.before)) fault('wrong', `${message.data} after ${last.id}`)
      else if (!before) created.set(message.data, { connection: message.connection, place })
      else if (before.connection < message.connection && before.place === place) counts.repeated++
      else fault('doubled', message.data)
      continue
    }
    last = message
    place++
    const next = (await expected.next()).value
    if (!next) {
      fault('doubled', `${message.id} after the end`)
      continue
    }
    counts.expected++
    if (next.id === message.id && next.data === history.comparedOf(message.data)) lags.push(message.at - next.at)
    else {
      fault('wrong', `${message.id} ${message.data} instead of ${next.id} ${next.data}`)
      // One fault is not to be counted for every message that follows.
      if (next.id !== message.id) break
    }
  }
  for await (const { id } of expected) {
    counts.expected++
    fault('missing', id)
  }
  for (const [data, { before }] of creations) {
    if (!isAfter(owner.end, before)) continue
    counts.expected++
    if (!created.has(data)) fault('missing', data)
  }
  return { ...counts, faults, lags: Float64Array.from(lags) }
}

async function* receivedMessages(file: string): AsyncGenerator<Received> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [at, connection, id = '', data = ''] = line.split('\t')
    yield { at: Number(at), connection: Number(connection), id, data }
  }
}

type Row = {
  readonly era: number
  readonly xid: string
  readonly seq: string
  readonly kind: MachineName
  readonly actor: string
  readonly to: string
  readonly at: Date
  readonly type: string | null
}

const PAGE = 20_000

/** Of a merchant: one message for each record of a commit, in the order of the feed, and one for each new delivery. */
export const changesHistory: History = {
  expected: (sql, owner) => expectedMessages(sql, owner),
  creations: (sql, owner) => creationsOf(sql, owner),
  comparedOf: data => data,
}

async function* rowsAfter(sql: Sql, { merchantId, after, end }: Changes): AsyncGenerator<Row> {
  let [era = '0', xid = '0', seq = '0'] = after.split('.')
  const [lastEra = '', lastXid = '', lastSeq = ''] = end.split('.')
  for (;;) {
    const rows = await sql<Row[]>`
      select era, xid::text, seq, kind, actor, to_state as "to", at,
        (select type from events e where e.actor = t.actor and e.rev = t.rev) as type
      from transitions t
      where merchant_id = ${merchantId} and not livemode
        and (era, xid, seq) > (${era}::integer, ${xid}::text::xid8, ${seq}::bigint)
        and (era, xid, seq) <= (${lastEra}::integer, ${lastXid}::text::xid8, ${lastSeq}::bigint)
      order by t.era, t.xid, t.seq limit ${PAGE}`
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    ;[era, xid, seq] = [String(last.era), last.xid, last.seq]
  }
}

async function* expectedMessages(sql: Sql, owner: Changes): AsyncGenerator<Expected> {
  let commit: Row[] = []
  for await (const row of rowsAfter(sql, owner)) {
    const [first] = commit
    if (first && (first.era !== row.era || first.xid !== row.xid)) {
      yield* messagesOfCommit(commit)
      commit = []
    }
    commit.push(row)
  }
  yield* messagesOfCommit(commit)
}

const messagesOfCommit = (commit: readonly Row[]): Expected[] =>
  commit.flatMap(row => {
    const ofActor = commit.filter(({ actor }) => actor === row.actor)
    if (ofActor.at(-1) !== row) return []
    const event = ofActor.findLast(({ type }) => type !== null)?.type ?? null
    return [{ id: idOf(row), at: row.at.getTime(), data: dataOf({ ...row, event }) }]
  })

const creationsOf = async (sql: Sql, { merchantId, after }: Changes): Promise<ReadonlyMap<string, Creation>> => {
  const [era = '', xid = '', seq = ''] = after.split('.')
  const rows = await sql<{ id: string; era: number; xid: string; seq: string }[]>`
    select d.id, t.era, t.xid::text, t.seq
    from deliveries d join events e on e.id = d.event_id join transitions t on t.actor = e.actor and t.rev = e.rev
    where d.merchant_id = ${merchantId} and (t.era, t.xid, t.seq) > (${era}::integer, ${xid}::text::xid8, ${seq}::bigint)`
  return new Map(
    rows.map(({ id, ...row }) => {
      const data = dataOf({ kind: 'delivery', actor: id, to: 'pending', event: null })
      return [data, { data, before: idOf(row) }]
    }),
  )
}

const dataOf = ({ kind, actor, to, event }: Pick<Row, 'kind' | 'actor' | 'to'> & { readonly event: string | null }) =>
  JSON.stringify({ object: machineObjects[kind], id: encodeId(resources[kind].prefix, actor), status: to, event })

export const idOf = ({ era, xid, seq }: { readonly era: number; readonly xid: string; readonly seq: string }): string =>
  `${era}.${xid}.${seq}`

/** Whether a position is at or after another one. */
export const isAfter = (a: string, b: string): boolean => {
  const [[eraA = 0n, xidA = 0n, seqA = 0n], [eraB = 0n, xidB = 0n, seqB = 0n]] = [a, b].map(id =>
    id.split('.').map(BigInt),
  ) as [bigint[], bigint[]]
  if (eraA !== eraB) return eraA > eraB
  return xidA === xidB ? seqA >= seqB : xidA > xidB
}

import type { Sql } from '../../postgres/connect.ts'

export type NodeState = {
  readonly label: string
  readonly state: 'unknown' | 'healthy' | 'behind' | 'paused'
  readonly head: number | null
  readonly latencyMs: number | null
  /** A word such as `timeout`: a text of a node may contain its URL. */
  readonly lastError: string | null
}

/** Replaces what is known of the nodes of a chain, in the order of their configuration. */
export const recordChainNodes = async (sql: Sql, chainId: number, nodes: readonly NodeState[]): Promise<void> => {
  await sql`
    with found as (
      select ordinality as position, n.*
      from rows from (json_to_recordset(${JSON.stringify(nodes)}::text::json)
        as (label text, state text, head bigint, "latencyMs" float8, "lastError" text)) with ordinality as n
    ),
    gone as (delete from chain_nodes where chain_id = ${chainId} and position > ${nodes.length})
    insert into chain_nodes (chain_id, position, label, state, head, latency_ms, last_error)
    select ${chainId}, position, label, state, head, "latencyMs", "lastError" from found
    on conflict (chain_id, position) do update set
      label = excluded.label, state = excluded.state, head = excluded.head, latency_ms = excluded.latency_ms,
      last_error = excluded.last_error, recorded_at = excluded.recorded_at`
}

export type RecordedChain = {
  readonly chainId: number
  /** The last block that was read; null before the first. */
  readonly cursor: number | null
  readonly lastBlockAt: Date | null
  /** When it was read. */
  readonly readAt: Date | null
  /** Since when it is not read, because it was reorganized below its final block. */
  readonly stoppedAt: Date | null
  readonly nodes: readonly NodeState[]
}

/** What was read of the chains, and what is known of their nodes. A node that nothing was recorded of lately is unknown. */
export const findRecordedChains = async (sql: Sql, chainIds: readonly number[]): Promise<readonly RecordedChain[]> => {
  const rows = await sql<RecordedRow[]>`
    select wanted.id::float8 as "chainId", c.number::float8 as cursor, c.mined_at as "lastBlockAt", c.moved_at as "readAt",
      c.stopped_at as "stoppedAt", n.nodes
    from unnest(${[...chainIds]}::bigint[]) with ordinality as wanted (id, place)
    left join chain_cursors c on c.chain_id = wanted.id
    left join lateral (
      select json_agg(json_build_object(
        'label', label, 'head', head, 'latencyMs', latency_ms, 'lastError', last_error,
        'state', case when recorded_at > now() - interval '30 s' then state else 'unknown' end) order by position) as nodes
      from chain_nodes where chain_id = wanted.id) n on true
    order by wanted.place`
  return rows.map(({ nodes, ...row }) => ({ ...row, nodes: nodes ?? [] }))
}

type RecordedRow = Omit<RecordedChain, 'nodes'> & { readonly nodes: readonly NodeState[] | null }

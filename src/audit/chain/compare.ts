import type { Chains } from '../../chain/enabled/connect.ts'
import { isNodeError } from '../../chain/rpc/rpc.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Finding } from '../rules/check.ts'
import { findBalances } from './balances.ts'
import type { Compared } from './compared.ts'
import { findRefunds } from './refunds.ts'
import { findTransfers } from './transfers.ts'

export type Comparison = {
  readonly findings: readonly Finding[]
  /** Chains that were not compared, and why. */
  readonly notCompared: readonly string[]
}

/** An invariant that can be checked only on the chain. */
type ChainCheck = {
  readonly what: string
  /** IDs of the breaches. */
  readonly find: (sql: Sql, compared: Compared) => AsyncIterable<string>
}

const checks: readonly ChainCheck[] = [
  { what: 'a final transfer that is not in its transaction', find: findTransfers },
  { what: 'a processed refund that its transaction has not paid', find: findRefunds },
  { what: 'an address whose balance differs from its transfers', find: findBalances },
]

/** I4: recorded sums are those of the chain. */
export const compareChains = async (sql: Sql, chains: Chains): Promise<Comparison> => {
  const findings: Finding[] = []
  const notCompared: string[] = []
  for (const { id, ...cursor } of await findCursors(sql)) {
    const connected = chains.find(id)
    if (!connected) notCompared.push(`chain ${id} is not enabled`)
    else if (cursor.stopped) notCompared.push(`chain ${id} was reorganized below its final block`)
    else
      try {
        findings.push(...(await compare(sql, { ...connected, ...cursor })))
      } catch (error) {
        if (!isNodeError(error)) throw error
        notCompared.push(`chain ${id}: ${error.message}`)
      }
  }
  return { findings, notCompared }
}

const compare = async (sql: Sql, compared: Compared): Promise<readonly Finding[]> => {
  const findings: Finding[] = []
  for (const { what, find } of checks) {
    let count = 0
    let example = ''
    for await (const id of find(sql, compared)) if (count++ === 0) example = id
    if (count > 0) findings.push({ invariant: 'I4', what: `${what}, on chain ${compared.chain.id}`, count, example })
  }
  return findings
}

const findCursors = async (sql: Sql) => {
  const rows = await sql<CursorRow[]>`
    select c.chain_id, c.begun_number, c.final_number, b.hash, c.lost_before, c.stopped_at is not null as stopped
    from chain_cursors c join chain_blocks b on b.chain_id = c.chain_id and b.number = c.final_number
    order by c.chain_id`
  return rows.map(({ chain_id, begun_number, final_number, hash, lost_before, stopped }) => ({
    id: Number(chain_id),
    begunNumber: Number(begun_number),
    final: { number: Number(final_number), hash },
    lostBefore: lost_before,
    stopped,
  }))
}

type CursorRow = {
  readonly chain_id: string
  readonly begun_number: string
  readonly final_number: string
  readonly hash: string
  readonly lost_before: Date | null
  readonly stopped: boolean
}

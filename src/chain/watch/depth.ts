import type { Sql } from '../../postgres/connect.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

/**
 * Has payments told again whose merchants asked for more blocks than finality takes, once two nodes have got so far:
 * finality says nothing of the blocks above it, and the one node that is read may name any number of them. Answers how many.
 */
export const deepenPayments = async (
  sql: Sql,
  { id }: Pick<WatchedChain, 'id'>,
  source: Pick<ChainSource, 'reached'>,
): Promise<number> => {
  const [awaited] = await sql<{ number: string; hash: string; least: string | null }[]>`
    select number, hash, (select min(number) from deeper_payments d where d.chain_id = c.chain_id) as least
    from chain_cursors c where chain_id = ${id}`
  if (!awaited || awaited.least === null || Number(awaited.least) > Number(awaited.number)) return 0
  const reached = Math.min(Number(awaited.number), await source.reached())
  if (reached < Number(awaited.least)) return 0
  const [due] = await sql<{ payments: number }[]>`
    select deepen_payments(${id}, ${awaited.number}, ${awaited.hash}, ${reached}) as payments`
  return due?.payments ?? 0
}

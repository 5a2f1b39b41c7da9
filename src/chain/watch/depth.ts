import type { Sql } from '../../postgres/connect.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

/**
 * Marks payments whose merchants require more confirmations than finality, once two nodes have reached that depth.
 * Finality says nothing about the blocks above it, and the node that is read may invent them. Returns how many payments
 * were marked.
 */
export const deepenPayments = async (
  sql: Sql,
  { id }: Pick<WatchedChain, 'id'>,
  source: Pick<ChainSource, 'agreedHead'>,
): Promise<number> => {
  const [awaited] = await sql<{ number: string; hash: string; least: string | null }[]>`
    select number, hash, (select min(number) from deeper_payments d where d.chain_id = c.chain_id) as least
    from chain_cursors c where chain_id = ${id}`
  if (!awaited || awaited.least === null || Number(awaited.least) > Number(awaited.number)) return 0
  const reached = Math.min(Number(awaited.number), await source.agreedHead())
  if (reached < Number(awaited.least)) return 0
  const [due] = await sql<{ payments: number }[]>`
    select deepen_payments(${id}, ${awaited.number}, ${awaited.hash}, ${reached}) as payments`
  return due?.payments ?? 0
}

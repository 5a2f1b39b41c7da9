import type { Sql } from '../postgres/connect.ts'

/** Facts of a payment that only its page shows. */
export type PageNotes = {
  /** When the payment succeeded. */
  readonly completedAt: Date | null
  /** A transaction that was submitted for the payment, the latest that was not found if there are several. */
  readonly submitted: string | null
}

export const findPageNotes = async (sql: Sql, paymentId: string): Promise<PageNotes> => {
  const [row] = await sql<[PageNotes]>`
    select
      (select min(t.at) from transitions t
       where t.actor = ${paymentId} and t.to_state = 'success') as "completedAt",
      (select s.tx_hash from submissions s
       where s.payment_id = ${paymentId} order by s.block_number nulls first, s.next_look_at desc limit 1) as submitted`
  return row
}

/** How far a chain has been read. */
export type ChainReading = {
  readonly chainId: number
  /** The time in the latest block that was read. */
  readonly minedAt: Date
  readonly stoppedAt: Date | null
  /** The latest block that is final: every node of the chain has it. */
  readonly finalNumber: number
  readonly finalHash: string | null
}

export const listChainReadings = async (sql: Sql): Promise<readonly ChainReading[]> => {
  const rows = await sql<
    (Omit<ChainReading, 'chainId' | 'finalNumber'> & { chain_id: string; final_number: string })[]
  >`
    select c.chain_id, c.mined_at as "minedAt", c.stopped_at as "stoppedAt", c.final_number, b.hash as "finalHash"
    from chain_cursors c
    left join chain_blocks b on b.chain_id = c.chain_id and b.number = c.final_number`
  return rows.map(({ chain_id, final_number, ...row }) => ({
    ...row,
    chainId: Number(chain_id),
    finalNumber: Number(final_number),
  }))
}

import type { Sql } from '../postgres/connect.ts'

export type Submission = { readonly paymentId: string; readonly chainId: number; readonly txHash: string }

/** False when the payment has as many other ones already. */
export const keepSubmission = async (
  sql: Sql,
  { paymentId, chainId, txHash }: Submission,
  most: number,
): Promise<boolean> => {
  const [row] = await sql<{ kept: boolean }[]>`
    select submit_transaction(${paymentId}, ${chainId}, ${txHash}, ${most}) as kept`
  return row?.kept === true
}

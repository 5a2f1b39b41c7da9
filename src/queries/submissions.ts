import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { paymentKind } from '../kinds/payment.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'

export type Submission = { readonly paymentId: string; readonly chainId: number; readonly txHash: string }

/** `too_many`: the payment has as many other ones already. */
export const keepSubmission = async (
  sql: Sql,
  { paymentId, chainId, txHash }: Submission,
  most: number,
): Promise<'kept' | 'known' | 'too_many'> => {
  const [row] = await sql<[{ outcome: 'kept' | 'known' | 'too_many' }]>`
    select submit_transaction(${paymentId}, ${chainId}, ${txHash}, ${most}) as outcome`
  return row.outcome
}

/** One whose turn it is, and the payment that it is of. */
export type Due = {
  readonly payment: Actor<Payment>
  readonly txHash: string
  /** All that the payment was ever given. */
  readonly addresses: readonly string[]
}

const readPayment = readerOf(paymentKind)

/** Those whose next look is due, which is put off by this. */
export const claimSubmissions = async (
  sql: Sql,
  { chainId, finalTo }: { readonly chainId: number; readonly finalTo: number },
  most: number,
): Promise<readonly Due[]> => {
  const rows = await sql<(ActorRow & { readonly submitted: string; readonly addresses: readonly string[] })[]>`
    select p.*, s.tx_hash as submitted,
      array(select address from deposit_addresses d where d.payment_id = p.id) as addresses
    from claim_submissions(${chainId}, ${finalTo}, ${most}) s join payments p on p.id = s.payment_id`
  return rows.map(row => ({ payment: readPayment(row), txHash: row.submitted, addresses: row.addresses }))
}

/** It is in a block that is not deep enough yet: nobody looks again before this one is final. */
export const foundSubmission = async (
  sql: Sql,
  { paymentId, txHash }: Omit<Submission, 'chainId'>,
  blockNumber: number,
): Promise<void> => {
  await sql`
    update submissions set block_number = ${blockNumber}, looks = 0, next_look_at = now()
    where payment_id = ${paymentId} and tx_hash = ${txHash}`
}

export type Final = {
  /** Up to this block everything is final. */
  readonly number: number
  readonly hash: string
  /** How many blocks payments wait for as a rule; merchants may ask for more. */
  readonly confirmations: number | null
}

/** As the books have it; undefined before they begin. */
export const findFinal = async (sql: Sql, chainId: number): Promise<Final | undefined> => {
  const [row] = await sql<{ number: string; hash: string; confirmations: number | null }[]>`
    select b.number, b.hash, c.confirmations from chain_cursors c join chain_blocks b using (chain_id)
    where c.chain_id = ${chainId} and b.number = c.final_number`
  return row && { ...row, number: Number(row.number) }
}

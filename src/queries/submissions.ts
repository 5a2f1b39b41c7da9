import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { paymentKind } from '../kinds/payment.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'

export type Submission = { readonly paymentId: string; readonly chainId: number; readonly txHash: string }

/** `too_many`: the payment already has `max` other submissions. */
export const insertSubmission = async (
  sql: Sql,
  { paymentId, chainId, txHash }: Submission,
  max: number,
): Promise<'kept' | 'known' | 'too_many'> => {
  const [row] = await sql<[{ outcome: 'kept' | 'known' | 'too_many' }]>`
    select submit_transaction(${paymentId}, ${chainId}, ${txHash}, ${max}) as outcome`
  return row.outcome
}

/** A submitted transaction that is due to be checked, and its payment. */
export type DueSubmission = {
  readonly payment: Actor<Payment>
  readonly txHash: string
  /** All deposit addresses of the payment. */
  readonly addresses: readonly string[]
}

const readPayment = readerOf(paymentKind)

/** Claims submissions that are due to be checked, by postponing their next check. */
export const claimSubmissions = async (
  sql: Sql,
  { chainId, finalTo }: { readonly chainId: number; readonly finalTo: number },
  max: number,
): Promise<readonly DueSubmission[]> => {
  const rows = await sql<(ActorRow & { readonly submitted: string; readonly addresses: readonly string[] })[]>`
    select p.*, s.tx_hash as submitted,
      array(select address from deposit_addresses d where d.payment_id = p.id) as addresses
    from claim_submissions(${chainId}, ${finalTo}, ${max}) s join payments p on p.id = s.payment_id`
  return rows.map(row => ({ payment: readPayment(row), txHash: row.submitted, addresses: row.addresses }))
}

/** The transaction is in a block that is not final yet. It is not checked again before that block is final. */
export const recordSubmissionFound = async (
  sql: Sql,
  { paymentId, txHash }: Omit<Submission, 'chainId'>,
  blockNumber: number,
): Promise<void> => {
  await sql`
    update submissions set block_number = ${blockNumber}, looks = 0, next_look_at = now()
    where payment_id = ${paymentId} and tx_hash = ${txHash}`
}

export type Final = {
  /** The highest final block. */
  readonly number: number
  readonly hash: string
  /** The default number of confirmations. Merchants may require more. */
  readonly confirmations: number | null
}

/** As recorded in the database; undefined if the chain was not read yet. */
export const findFinal = async (sql: Sql, chainId: number): Promise<Final | undefined> => {
  const [row] = await sql<{ number: string; hash: string; confirmations: number | null }[]>`
    select b.number, b.hash, c.confirmations from chain_cursors c join chain_blocks b using (chain_id)
    where c.chain_id = ${chainId} and b.number = c.final_number`
  return row && { ...row, number: Number(row.number) }
}

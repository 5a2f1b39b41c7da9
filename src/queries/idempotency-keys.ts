import type { Row } from '../actors/command.ts'
import type { Sql } from '../postgres/connect.ts'

/** A request under its key: `fingerprint` tells it from any other. */
export type KeyedRequest = {
  readonly merchantId: string
  readonly livemode: boolean
  readonly key: string
  readonly fingerprint: Buffer
  readonly isRefund: boolean
}

/** An answer as it went out the first time. */
export type KeptAnswer = { readonly status: number; readonly body: string }

/** The same with the record that it tells of. */
export type MadeAnswer = KeptAnswer & { readonly recordId: string }

export const findKeptAnswer = async (
  sql: Sql,
  { merchantId, livemode, key }: KeyedRequest,
): Promise<(KeptAnswer & { readonly fingerprint: Buffer }) | undefined> => {
  const [row] = await sql<(KeptAnswer & { fingerprint: Buffer })[]>`
    select fingerprint, status, body from find_kept_answer(${merchantId}, ${livemode}, ${key})`
  return row
}

/** The row that a command carries into its commit. */
export const keptAnswerRow = (request: KeyedRequest, { status, body, recordId }: MadeAnswer): Row => ({
  table: 'idempotency_keys',
  row: {
    merchant_id: request.merchantId,
    livemode: request.livemode,
    key: request.key,
    fingerprint: `\\x${request.fingerprint.toString('hex')}`,
    status,
    body,
    is_refund: request.isRefund,
    record_id: recordId,
  },
})

/** For work that writes nothing. False when an answer is kept already. */
export const keepAnswer = async (
  sql: Sql,
  request: KeyedRequest,
  { status, body, recordId }: MadeAnswer,
): Promise<boolean> => {
  const { merchantId, livemode, key, fingerprint, isRefund } = request
  const { count } = await sql`
    insert into idempotency_keys 
      (merchant_id, livemode, key, fingerprint, status, body, is_refund, created_at, record_id)
    values (${merchantId}, ${livemode}, ${key}, ${fingerprint}, ${status}, ${body}, ${isRefund}, now(), ${recordId})
    on conflict do nothing`
  return count === 1
}

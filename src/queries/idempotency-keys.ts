import type { Row } from '../actors/command.ts'
import type { Sql } from '../postgres/connect.ts'

/** A request with an idempotency key. `fingerprint` identifies its content. */
export type KeyedRequest = {
  readonly merchantId: string
  readonly livemode: boolean
  readonly key: string
  readonly fingerprint: Buffer
  readonly isRefund: boolean
}

/** The response to the first request. */
export type StoredAnswer = { readonly status: number; readonly body: string }

/** A response, with the id of the record that it contains. */
export type NewAnswer = StoredAnswer & { readonly recordId: string }

export const findStoredAnswer = async (
  sql: Sql,
  { merchantId, livemode, key }: KeyedRequest,
): Promise<(StoredAnswer & { readonly fingerprint: Buffer }) | undefined> => {
  const [row] = await sql<(StoredAnswer & { fingerprint: Buffer })[]>`
    select fingerprint, status, body from find_kept_answer(${merchantId}, ${livemode}, ${key})`
  return row
}

/** The row that is committed with a command. */
export const storedAnswerRow = (request: KeyedRequest, { status, body, recordId }: NewAnswer): Row => ({
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

/** For requests that write nothing else. Returns false if there is already a stored response. */
export const storeAnswer = async (
  sql: Sql,
  request: KeyedRequest,
  { status, body, recordId }: NewAnswer,
): Promise<boolean> => {
  const { merchantId, livemode, key, fingerprint, isRefund } = request
  const { count } = await sql`
    insert into idempotency_keys 
      (merchant_id, livemode, key, fingerprint, status, body, is_refund, created_at, record_id)
    values (${merchantId}, ${livemode}, ${key}, ${fingerprint}, ${status}, ${body}, ${isRefund}, now(), ${recordId})
    on conflict do nothing`
  return count === 1
}

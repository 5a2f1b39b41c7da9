import type { Sql } from '../postgres/connect.ts'

export type InboxRequestRow = {
  readonly id: string
  readonly received_at: Date
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signature_valid: boolean
}

/** Returns false if the inbox was deleted. */
export const insertInboxRequest = async (
  sql: Sql,
  endpointId: string,
  { id, received_at: at, headers, body, signature_valid: isValid }: InboxRequestRow,
): Promise<boolean> => {
  const [answer] = await sql<{ kept: boolean }[]>`
    select record_inbox_request(
      ${endpointId}, ${id}, ${at}, ${JSON.stringify(headers)}::text::json, ${body}, ${isValid}) as kept`
  return answer?.kept === true
}

/** All that are kept, newest first. */
export const listInboxRequests = (sql: Sql, endpointId: string): Promise<InboxRequestRow[]> => sql<InboxRequestRow[]>`
  select id, received_at, headers, body, signature_valid from inbox_requests
  where endpoint_id = ${endpointId} order by seq desc limit 100`

/** The inbox with this token, with its sealed secrets. */
export const findInbox = async (sql: Sql, token: string): Promise<InboxRow | undefined> => {
  const [row] = await sql<InboxRow[]>`
    select id, sealed_secret as "sealedSecret", previous_sealed_secret as "previousSealedSecret",
      previous_until as "previousUntil"
    from webhook_endpoints where inbox_token = ${token} and state <> 'deleted'`
  return row
}

export type InboxRow = {
  readonly id: string
  readonly sealedSecret: string
  readonly previousSealedSecret: string | null
  readonly previousUntil: Date | null
}

import type { Sql } from '../postgres/connect.ts'
import type { AccountActor } from './security-events.ts'

export type LogoFile = { readonly name: string; readonly bytes: Uint8Array }

/** Undefined removes the logo. */
export const updateLogo = async (
  sql: Sql,
  merchantId: string,
  file: LogoFile | undefined,
  by: AccountActor,
): Promise<'changed' | 'not_allowed' | undefined> => {
  const [answer] = await sql<{ outcome: 'changed' | 'not_allowed' }[]>`
    select set_logo(
      ${merchantId}, ${file?.name ?? null}, ${file?.bytes ?? null}, ${by.accountId}, ${by.actor}, ${by.address}) as outcome`
  return answer?.outcome
}

export const findLogo = async (sql: Sql, name: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const [row] = await sql<{ bytes: Uint8Array<ArrayBuffer> }[]>`select bytes from logos where name = ${name}`
  return row?.bytes
}

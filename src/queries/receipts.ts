import type { Sql } from '../postgres/connect.ts'
import { readShown, type ShownPayment, type ShownRow, shownColumns } from './payments.ts'
import type { SettingsRow } from './settings.ts'

/** A payment that has succeeded, with the merchant as the customer knows it. */
export type PaidPayment = ShownPayment & {
  readonly merchant: Pick<SettingsRow, 'name' | 'logo' | 'accent_color' | 'support_email' | 'support_url'>
  /** What was bought, from the payment link. */
  readonly title: string | null
}

export const findPaidPayment = async (sql: Sql, id: string): Promise<PaidPayment | undefined> => {
  const [row] = await sql<(ShownRow & Pick<PaidPayment, 'merchant' | 'title'>)[]>`
    select found.*, l.title, json_build_object('name', m.name, 'logo', m.logo, 'accent_color', m.accent_color,
      'support_email', m.support_email, 'support_url', m.support_url) as merchant
    from (select ${shownColumns(sql)} from payments r where id = ${id} and state = 'success') found
    join merchants m on m.id = found.merchant_id
    left join payment_links l on l.id = found.payment_link_id`
  return row && { ...readShown(row), merchant: row.merchant, title: row.title }
}

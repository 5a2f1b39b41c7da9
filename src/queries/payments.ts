import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { paymentKind } from '../kinds/payment.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { finderOf, type RecordName } from './named.ts'
import type { Page } from './page.ts'
import { type Fragment, listPlaced, narrowed, type Whose } from './places.ts'

const readPayment = readerOf(paymentKind)
const findRow = finderOf<ActorRow>('payments')

export const findPayment = async (sql: Sql, name: RecordName): Promise<Actor<Payment> | undefined> => {
  const row = await findRow(sql, name)
  return row && readPayment(row)
}

/** What the books have of a payment's chain: how far it was read, and the transfers of the picked asset, in order. */
export type PaymentTransfers = {
  /** Null before anything of the chain was read. */
  readonly head: number | null
  readonly transfers: readonly {
    readonly tx_hash: string
    readonly log_index: number
    readonly block_number: number
    readonly block_hash: string
    readonly mined_at: string
    readonly from_address: string | null
    /** As text: a number of JSON could not hold it. */
    readonly amount: string
    readonly state: 'seen' | 'final' | 'orphaned'
  }[]
}

/** A payment as it is read; null: no chain shows anything, since none was picked. */
export type ShownPayment = { readonly payment: Actor<Payment>; readonly shown: PaymentTransfers | null }

export type ShownRow = ActorRow & { readonly shown: PaymentTransfers | null }

export const readShown = (row: ShownRow): ShownPayment => ({ payment: readPayment(row), shown: row.shown })

/** Of more than these the largest are shown: anybody can send dust by the thousand, and would hide money in it. */
const MOST_TRANSFERS = 100

/** All of a row `r`, and what its chain shows, as of the same moment. Before there is a chain nothing is asked. */
export const shownColumns = (sql: Sql): Fragment => sql`
  r.*, case when r.chain_id is not null then json_build_object(
    'head', (select c.number from chain_cursors c where c.chain_id = r.chain_id),
    'transfers', coalesce((
      select json_agg(json_build_object(
        'tx_hash', t.tx_hash, 'log_index', t.log_index, 'block_number', t.block_number,
        'block_hash', t.block_hash, 'mined_at', t.mined_at, 'from_address', t.from_address, 'amount', t.amount::text, 'state', t.state)
        order by t.block_number, t.log_index, t.tx_hash)
      from (
        select * from transfers_of(r.id) of_it
        where of_it.chain_id = r.chain_id and of_it.token_address is not distinct from r.token_address
        order by of_it.amount desc, of_it.block_number, of_it.log_index limit ${MOST_TRANSFERS}) t), '[]')) end as shown`

const findShownRow = finderOf<ShownRow>('payments', shownColumns)

export const findShownPayment = async (sql: Sql, name: RecordName): Promise<ShownPayment | undefined> => {
  const row = await findShownRow(sql, name)
  return row && readShown(row)
}

export type PaymentFilter = {
  readonly status: string | undefined
  readonly paymentLinkId: string | undefined
  readonly reference: string | undefined
  /** True: only those that a person must decide about. */
  readonly attention: boolean
}

export const listPayments = async (
  sql: Sql,
  whose: Whose,
  { status, paymentLinkId, reference, attention }: PaymentFilter,
  page: Page,
): Promise<ShownPayment[]> => {
  const filters = sql`
    ${narrowed(sql, { state: status, payment_link_id: paymentLinkId, reference })}
    ${attention ? sql`and attention` : sql``}`
  const columns = shownColumns(sql)
  const rows = await listPlaced<ShownRow>(sql, { table: 'payments', whose, page, columns, filters })
  return rows.map(readShown)
}

import { paymentMachine } from '../../machines/payment.ts'
import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { decodeId } from '../ids.ts'
import { paymentKind } from '../kinds/payment.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import {
  type CommonFilter,
  commonFilters,
  findSeqBounds,
  foundByEmail,
  isAddress,
  isEmailPrefix,
  isTxHash,
} from './list-filters.ts'
import {
  type Fragment,
  filtersOf,
  type ListOwner,
  type ListPart,
  listRows,
  ownedByWithKey,
  partsByState,
  type RowList,
} from './list-rows.ts'
import type { Page } from './page.ts'
import { finderOf, type RecordKey } from './record-finder.ts'

export const readPayment = readerOf(paymentKind)
const findRow = finderOf<ActorRow>('payments')

export const findPayment = async (sql: Sql, key: RecordKey): Promise<Actor<Payment> | undefined> => {
  const row = await findRow(sql, key)
  return row && readPayment(row)
}

/** The recorded state of a payment's chain: how far it was read, and the transfers of the picked asset in order. */
export type PaymentTransfers = {
  /** Null if nothing of the chain was read yet. */
  readonly head: number | null
  readonly transfers: readonly {
    readonly tx_hash: string
    readonly log_index: number
    readonly block_number: number
    readonly block_hash: string
    readonly mined_at: string
    readonly from_address: string | null
    /** As text, because a JSON number cannot represent it. */
    readonly amount: string
    readonly state: 'seen' | 'final' | 'orphaned'
  }[]
}

/** A payment with its transfers. `shown` is null if no asset was picked. */
export type ShownPayment = { readonly payment: Actor<Payment>; readonly shown: PaymentTransfers | null }

export type ShownRow = ActorRow & { readonly shown: PaymentTransfers | null }

export const readShown = (row: ShownRow): ShownPayment => ({ payment: readPayment(row), shown: row.shown })

/**
 * If there are more, the largest are shown: anyone can send thousands of tiny transfers, which would hide the others.
 */
const MAX_TRANSFERS = 100

/**
 * All columns of the row `r`, and its transfers in the same snapshot. Transfers are read only if a chain was picked. The
 * customer is the one that has taken the place of a merged one.
 */
export const shownColumns = (sql: Sql): Fragment => sql`
  r.*, coalesce((select m.survivor_id from merged_customers m where m.customer_id = r.customer_id), r.customer_id) as customer_id,
  case when r.chain_id is not null then json_build_object(
    'head', (select c.number from chain_cursors c where c.chain_id = r.chain_id),
    'transfers', coalesce((
      select json_agg(json_build_object(
        'tx_hash', t.tx_hash, 'log_index', t.log_index, 'block_number', t.block_number,
        'block_hash', t.block_hash, 'mined_at', t.mined_at, 'from_address', t.from_address, 'amount', t.amount::text, 'state', t.state)
        order by t.block_number, t.log_index, t.tx_hash)
      from (
        select * from transfers_of(r.id) of_it
        where of_it.chain_id = r.chain_id and of_it.token_address is not distinct from r.token_address
        order by of_it.amount desc, of_it.block_number, of_it.log_index limit ${MAX_TRANSFERS}) t), '[]')) end as shown`

/** A customer, and those that were merged into it. */
export const listMergedIds = async (sql: Sql, customerId: string): Promise<readonly string[]> => {
  const merged = await sql<{ customer_id: string }[]>`
    select customer_id from merged_customers where survivor_id = ${customerId}`
  return [customerId, ...merged.map(({ customer_id }) => customer_id)]
}

/** A payment as its merchant reads it. `invoiceNumber`: of its invoice, if that has a number. */
export type MerchantsPayment = ShownPayment & { readonly invoiceNumber: string | null }

export type MerchantsRow = ShownRow & { readonly invoice_number: string | null }

const merchantsColumns = (sql: Sql): Fragment => sql`
  ${shownColumns(sql)}, (select i.number from invoices i where i.id = r.invoice_id) as invoice_number`

export const readMerchants = (row: MerchantsRow): MerchantsPayment => ({
  ...readShown(row),
  invoiceNumber: row.invoice_number,
})

const findMerchantsRow = finderOf<MerchantsRow>('payments', merchantsColumns)

export const findMerchantsPayment = async (sql: Sql, key: RecordKey): Promise<MerchantsPayment | undefined> => {
  const row = await findMerchantsRow(sql, key)
  return row && readMerchants(row)
}

export type PaymentFilter = CommonFilter & {
  readonly paymentLinkId: string | undefined
  readonly reference: string | undefined
  /** With the payments of customers that were merged into it. */
  readonly customerId?: string | undefined
  /** True: only payments that a person must decide about. */
  readonly attention: boolean
}

export const listPayments = async (
  sql: Sql,
  owner: ListOwner,
  filter: PaymentFilter,
  page: Page,
): Promise<MerchantsPayment[]> => {
  const rows = await listRows<MerchantsRow>(sql, { ...(await paymentRowList(sql, owner, filter)), page })
  return rows.map(readMerchants)
}

export const paymentRowList = async (sql: Sql, owner: ListOwner, filter: PaymentFilter): Promise<RowList> => {
  const { paymentLinkId, reference, customerId, attention } = filter
  const customerIds = customerId === undefined ? undefined : await listMergedIds(sql, customerId)
  const filters = sql`
    ${commonFilters(sql, filter, await findSeqBounds(sql, 'payments', owner, filter))}
    ${filtersOf(sql, { payment_link_id: paymentLinkId, reference })}
    ${customerIds ? sql`and customer_id = any(${[...customerIds]}::uuid[])` : sql``}
    ${attention ? sql`and attention` : sql``}`
  const parts = partsOf(sql, owner, filter, customerIds)
  return { table: 'payments', owner, columns: merchantsColumns(sql), filters, ...(parts && { parts }) }
}

/** The index that returns the fewest rows beside those that are wanted. */
const partsOf = (
  sql: Sql,
  owner: ListOwner,
  filter: PaymentFilter,
  customerIds: readonly string[] | undefined,
): readonly ListPart[] | undefined => {
  const { statuses, paymentLinkId, reference, attention, search } = filter
  const states = statuses ?? STATES
  if (search !== undefined) return partsFoundBy(sql, owner, search, statuses)
  if (customerIds) return customerIds.flatMap(id => partsByState(sql, states, sql`customer_id = ${id}`))
  // Few payments need attention.
  if (attention) return undefined
  if (paymentLinkId !== undefined) return partsByState(sql, states, sql`payment_link_id = ${paymentLinkId}`)
  if (reference !== undefined) return partsByState(sql, states, ownedByWithKey(sql, owner, 'reference', reference))
  return statuses && partsByState(sql, statuses)
}

const STATES = Object.keys(paymentMachine.states)

const partsFoundBy = (
  sql: Sql,
  owner: ListOwner,
  search: string,
  statuses: readonly string[] | undefined,
): readonly ListPart[] => {
  const states = statuses ?? STATES
  const [id, linkId] = [decodeId('pay', search), decodeId('plink', search)]
  return [
    ...partsByState(sql, states, ownedByWithKey(sql, owner, 'reference', search)),
    ...(id === undefined ? [] : [{ few: sql`id = ${id}` }]),
    ...(linkId === undefined ? [] : partsByState(sql, states, sql`payment_link_id = ${linkId}`)),
    ...(isTxHash(search)
      ? [{ few: sql`id in (select payment_id from transfers where tx_hash = ${search.toLowerCase()})` }]
      : []),
    ...(isAddress(search)
      ? [
          { few: sql`id in (select payment_id from deposit_addresses where address = ${search.toLowerCase()})` },
          ...partsByState(sql, states, ownedByWithKey(sql, owner, 'payer_address', search.toLowerCase())),
        ]
      : []),
    ...(isEmailPrefix(search) ? [foundByEmail(sql, owner, search, statuses && partsByState(sql, statuses))] : []),
  ]
}

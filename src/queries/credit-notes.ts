import type { CreditNote } from '../../machines/credit-note.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { creditNoteKind } from '../kinds/credit-note.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { type Fragment, filtersOf, type ListOwner, listRows, type RowList } from './list-rows.ts'
import type { Page } from './page.ts'
import { listMergedIds } from './payments.ts'
import { finderOf, type RecordKey } from './record-finder.ts'

export const readCreditNote = readerOf(creditNoteKind)

/** All columns of the row `r`. The customer is the one that has taken the place of a merged one. */
const noteColumns = (sql: Sql): Fragment => sql`r.*, survivor_of(r.customer_id) as customer_id`

const findRow = finderOf<ActorRow>('credit_notes', noteColumns)

export const findCreditNote = async (sql: Sql, key: RecordKey): Promise<Actor<CreditNote> | undefined> => {
  const row = await findRow(sql, key)
  return row && readCreditNote(row)
}

export type CreditNoteFilter = {
  readonly invoiceId: string | undefined
  /** With the credit notes of customers that were merged into it. */
  readonly customerId: string | undefined
}

export const listCreditNotes = async (
  sql: Sql,
  owner: ListOwner,
  filter: CreditNoteFilter,
  page: Page,
): Promise<Actor<CreditNote>[]> => {
  const rows = await listRows<ActorRow>(sql, { ...(await creditNoteRowList(sql, owner, filter)), page })
  return rows.map(readCreditNote)
}

export const creditNoteRowList = async (
  sql: Sql,
  owner: ListOwner,
  { invoiceId, customerId }: CreditNoteFilter,
): Promise<RowList> => {
  const customerIds = customerId === undefined ? undefined : await listMergedIds(sql, customerId)
  const filters = sql`
    ${filtersOf(sql, { invoice_id: invoiceId })}
    ${customerIds ? sql`and customer_id = any(${[...customerIds]}::uuid[])` : sql``}`
  const parts = invoiceId ? [{ few: sql`invoice_id = ${invoiceId}` }] : customerIds?.map(id => sql`customer_id = ${id}`)
  return { table: 'credit_notes', owner, columns: noteColumns(sql), filters, ...(parts && { parts }) }
}

/** The credit notes with these ids, oldest first. */
export const listCreditNotesById = async (sql: Sql, ids: readonly string[]): Promise<Actor<CreditNote>[]> => {
  if (ids.length === 0) return []
  const rows = await sql<ActorRow[]>`select * from credit_notes where id = any(${[...ids]}::uuid[]) order by seq`
  return rows.map(readCreditNote)
}

import type { Invoice } from '../../../machines/invoice-events.ts'
import type { ActorRow } from '../../actors/rows.ts'
import { documentHash, partyHash, sellerHash } from '../../billing/document-hash.ts'
import type { Sql } from '../../postgres/connect.ts'
import { readCreditNote } from '../../queries/credit-notes.ts'
import { readInvoice } from '../../queries/invoices.ts'
import type { Check } from './check.ts'
import { eachRow, ROWS_AT_ONCE } from './each-row.ts'

type Row = ActorRow & {
  readonly hash_before: string | null
  readonly seller: Invoice['seller']
  readonly party_hash: string | null
}
type Table = 'invoices' | 'credit_notes'

/**
 * The hash of each document is that of what it says and of the document before it in its series. The hash of its party is that
 * of the party, until the party is deleted.
 */
export const documentChain: Check = {
  invariant: 'I4',
  what: 'a document that breaks the chain of document hashes, or differs from its hash',
  find: async function* (sql) {
    for await (const row of documentsIn(sql, 'invoices'))
      if (!isIntact('invoice', readInvoice(row).context, row.hash_before)) yield row.id
    // Their parties are those of the invoices.
    for await (const row of documentsIn(sql, 'credit_notes')) {
      const { context: note } = readCreditNote(row)
      const { seller, party_hash: partyHash } = row
      const parties = { seller, partyHash, customer: null, partySalt: null }
      if (!isIntact('credit_note', { ...note, ...parties, dueDate: null }, row.hash_before)) yield row.id
    }
    yield* await seriesWithOtherEnd(sql)
  },
}

const documentsIn = (sql: Sql, table: Table) =>
  eachRow<Row>(
    after => sql<Row[]>`
      select i.*, of_invoice.seller, of_invoice.party_hash, (
        select b.document_hash from ${sql(table)} b where b.series_id = i.series_id and b.sequence = i.sequence - 1
      ) as hash_before
      from ${sql(table)} i
      left join invoices of_invoice on of_invoice.id = i.${sql(table === 'invoices' ? 'id' : 'invoice_id')}
      where i.id > ${after} and i.series_id is not null
      order by i.id limit ${ROWS_AT_ONCE}`,
  )

const seriesWithOtherEnd = async (sql: Sql): Promise<readonly string[]> => {
  const rows = await sql<{ id: string }[]>`
    select s.id from document_series s
    where s.last_document_hash is distinct from case s.document_kind
      when 'invoice' then (select document_hash from invoices where series_id = s.id order by sequence desc limit 1)
      else (select document_hash from credit_notes where series_id = s.id order by sequence desc limit 1) end`
  return rows.map(({ id }) => id)
}

type Chained = Pick<
  Invoice,
  | ('number' | 'issueDate' | 'dueDate' | 'seller' | 'customer' | 'partySalt' | 'partyHash')
  | ('documentHash' | 'previousDocumentHash')
  | ('currency' | 'taxes' | 'subtotalMinor' | 'taxMinor' | 'totalMinor')
> & { readonly lines: readonly object[] }

const isIntact = (kind: 'invoice' | 'credit_note', document: Chained, hashBefore: string | null): boolean => {
  const { number, issueDate, dueDate, seller, customer, partySalt, previousDocumentHash } = document
  if (previousDocumentHash !== hashBefore || number === null || issueDate === null) return false
  if (seller === null || document.partyHash === null) return false
  if (customer && partySalt && partyHash(Buffer.from(partySalt, 'hex'), customer) !== document.partyHash) return false
  const { currency, lines, taxes, subtotalMinor, taxMinor, totalMinor } = document
  const expected = documentHash(previousDocumentHash, {
    ...{ number, kind, currency, lines, taxes, subtotalMinor, taxMinor, totalMinor, issueDate, dueDate },
    sellerHash: sellerHash(seller),
    partyHash: document.partyHash,
  })
  return expected === document.documentHash
}

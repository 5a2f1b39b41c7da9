import type { Invoice } from '../../../machines/invoice-events.ts'
import type { Actor } from '../../actors/kind.ts'
import type { ActorRow } from '../../actors/rows.ts'
import { documentHash, partyHash, sellerHash } from '../../billing/document-hash.ts'
import type { Sql } from '../../postgres/connect.ts'
import { readInvoice } from '../../queries/invoices.ts'
import type { Check } from './check.ts'
import { eachRow, ROWS_AT_ONCE } from './each-row.ts'

type Row = ActorRow & { readonly hash_before: string | null }

/**
 * The hash of each document is that of what it says and of the document before it in its series. The hash of its party is that
 * of the party, until the party is deleted.
 */
export const documentChain: Check = {
  invariant: 'I4',
  what: 'an invoice that breaks the chain of document hashes, or differs from its hash',
  find: async function* (sql) {
    for await (const row of documentsIn(sql)) if (!isIntact(readInvoice(row), row.hash_before)) yield row.id
    yield* await seriesWithOtherEnd(sql)
  },
}

const documentsIn = (sql: Sql) =>
  eachRow<Row>(
    after => sql<Row[]>`
      select i.*, (
        select b.document_hash from invoices b where b.series_id = i.series_id and b.sequence = i.sequence - 1
      ) as hash_before
      from invoices i
      where i.id > ${after} and i.series_id is not null
      order by i.id limit ${ROWS_AT_ONCE}`,
  )

const seriesWithOtherEnd = async (sql: Sql): Promise<readonly string[]> => {
  const rows = await sql<{ id: string }[]>`
    select s.id from document_series s
    where s.document_kind = 'invoice' and s.last_document_hash is distinct from (
      select document_hash from invoices where series_id = s.id order by sequence desc limit 1)`
  return rows.map(({ id }) => id)
}

const isIntact = ({ context: invoice }: Actor<Invoice>, hashBefore: string | null): boolean => {
  const { number, issueDate, dueDate, seller, customer, partySalt, previousDocumentHash } = invoice
  if (previousDocumentHash !== hashBefore || number === null || issueDate === null) return false
  if (seller === null || invoice.partyHash === null) return false
  if (customer && partySalt && partyHash(Buffer.from(partySalt, 'hex'), customer) !== invoice.partyHash) return false
  const { currency, lines, taxes, subtotalMinor, taxMinor, totalMinor } = invoice
  const expected = documentHash(previousDocumentHash, {
    ...{ number, kind: 'invoice', currency, lines, taxes, subtotalMinor, taxMinor, totalMinor, issueDate, dueDate },
    sellerHash: sellerHash(seller),
    partyHash: invoice.partyHash,
  })
  return expected === invoice.documentHash
}

import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { DocumentSums } from './invoice-sums.ts'

/** What the hash of a document covers. It holds no personal data, only hashes of the two parties. */
export type HashedDocument = DocumentSums & {
  readonly number: string
  readonly kind: 'invoice' | 'credit_note'
  readonly currency: string
  readonly lines: readonly object[]
  readonly issueDate: string
  readonly dueDate: string | null
  readonly sellerHash: string
  readonly partyHash: string
}

/**
 * The hash of a document contains the hash of the one before it in its series, so that a document that was changed or
 * removed breaks the chain. `previousDocumentHash`: null for the first.
 */
export const documentHash = (previousDocumentHash: string | null, document: HashedDocument): string =>
  sha256(`${previousDocumentHash ?? ''}.${sha256(canonicalJson(fieldsOf(document)))}`)

/** Only these, whatever else the object has. */
const fieldsOf = ({ number, kind, currency, lines, taxes, ...rest }: HashedDocument): HashedDocument => {
  const { subtotalMinor, taxMinor, totalMinor, issueDate, dueDate, sellerHash, partyHash } = rest
  return {
    ...{ number, kind, currency, lines, taxes, subtotalMinor, taxMinor, totalMinor },
    ...{ issueDate, dueDate, sellerHash, partyHash },
  }
}

/** The seller is public on every document. */
export const sellerHash = (seller: object): string => sha256(canonicalJson(seller))

/** Without the salt, which is deleted with the party, a name and address could be found by guessing. */
export const partyHash = (salt: Uint8Array, party: object): string =>
  createHash('sha256').update(salt).update(canonicalJson(party)).digest('hex')

/** RFC 8785. */
export const canonicalJson = (value: object): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('The value has no canonical JSON')
  return text
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

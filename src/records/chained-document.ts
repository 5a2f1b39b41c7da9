import { exampleId } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { idOf, text, textOrNull } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import type { ChainedDocument, DocumentChain } from '../queries/invoice-lists.ts'

/** A document in the chain of hashes. */
export const chainedDocumentRecord = recordOf<ChainedDocument, Pick<DocumentChain, 'documentKind'>>()(
  'ChainedDocument',
  {
    id: {
      type: () => idOf('inv').or(idOf('cn')),
      about: 'ID of the invoice or of the credit note.',
      example: exampleId('invoice'),
      of: ({ id }, { documentKind }) => encodeId(documentKind === 'invoice' ? 'inv' : 'cn', id),
    },
    number: { type: text, about: 'Its number.', example: 'TEST-INV-2026-0001', of: ({ number }) => number },
    documentHash: {
      type: text,
      about: 'Its hash, which contains the hash of the document before it.',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      of: ({ documentHash }) => documentHash,
    },
    previousDocumentHash: {
      type: textOrNull,
      about: 'Hash of the document before it in its series. Null for the first.',
      example: null,
      of: ({ previousDocumentHash }) => previousDocumentHash,
    },
  },
)

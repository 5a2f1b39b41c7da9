import { type DocumentSeries, documentSeriesMachine } from '../../machines/document-series.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'

export const documentSeriesKind: Kind<DocumentSeries> = {
  name: 'document_series',
  table: resources.document_series.table,
  machine: documentSeriesMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    documentKind: 'text',
    year: 'integer',
    testClockId: 'uuid',
    firstNumber: 'integer',
    lastNumber: 'integer',
    lastIssuedAt: 'time',
    lastDocumentHash: 'text',
  },
  history: ['documentKind', 'year', 'testClockId', 'firstNumber', 'lastNumber', 'lastIssuedAt', 'lastDocumentHash'],
}

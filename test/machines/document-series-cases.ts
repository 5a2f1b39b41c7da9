import { type DocumentSeriesOpening, documentSeriesMachine } from '../../machines/document-series.ts'
import { type Cases, minutes, T0 } from './table.ts'

export const documentSeriesOpening: DocumentSeriesOpening = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  documentKind: 'invoice',
  year: 2026,
  testClockId: null,
  firstNumber: 1,
}

const issue = (number: number, more: object = {}) => ({
  ...{ type: 'issue', number, year: 2026, issuedAt: minutes(number), documentHash: String(number).repeat(64) },
  ...more,
})

export const documentSeries: Cases = {
  machine: documentSeriesMachine,
  input: documentSeriesOpening,
  events: {
    'issue 0': issue(0),
    'issue 1': issue(1),
    'issue 1 of 2027': issue(1, { year: 2027 }),
    'issue 2': issue(2),
    'issue 2 at the time of 1': issue(2, { issuedAt: minutes(1) }),
    'issue 2 before 1': issue(2, { issuedAt: T0 }),
    'issue 3': issue(3),
    'issue 7': issue(7),
    'begin at 1': { type: 'set_next_number', nextNumber: 1 },
    'begin at 7': { type: 'set_next_number', nextNumber: 7 },
  },
  situations: {
    new: '',
    raised: 'begin at 7',
    first: 'issue 1',
    second: 'issue 1, issue 2',
  },
  table: `
    The next number is one more than the last, and no document is older than the one before it.
    new    | issue 1                  | in_use |  | lastNumber=1 lastIssuedAt=+1m lastDocumentHash=${'1'.repeat(64)}
    raised | issue 7                  | in_use |  | lastNumber=7 lastIssuedAt=+7m lastDocumentHash=${'7'.repeat(64)}
    first  | issue 2                  | stays  |  | lastNumber=2 lastIssuedAt=+2m lastDocumentHash=${'2'.repeat(64)}
    first  | issue 2 at the time of 1 | stays  |  | lastNumber=2 lastDocumentHash=${'2'.repeat(64)}
    second | issue 3                  | stays  |  | lastNumber=3 lastIssuedAt=+3m lastDocumentHash=${'3'.repeat(64)}

    Before the first document the numbers can begin higher, and not lower.
    new    | begin at 1               | stays  |  |
    new    | begin at 7               | stays  |  | firstNumber=7 lastNumber=6
    raised | begin at 7               | stays  |  |
  `,
  minSteps: 8,
  walk: { minSteps: 20 },
  invalidRows: `
    first | livemode = true, test_clock_id = gen_random_uuid() | document_series_test_clock
    first | state = 'closed'                        | document_series_state
    first | document_kind = 'quote'                 | document_series_document_kind
    first | year = 1999                             | document_series_year
    new   | first_number = 0, last_number = -1      | document_series_numbers
    new   | last_number = 1                         | document_series_numbers
    first | last_number = 0                         | document_series_numbers
    first | last_issued_at = null                   | document_series_last
    first | state = 'unused', last_number = 0       | document_series_last
    first | last_document_hash = 'A'                | document_series_hash
  `,
  duplicates: `
    new | first_number = 5, last_number = 4 | year = 2027                     | document_series_once
    new | state = state                     | livemode = true                 | document_series_once
    new | state = state                     | document_kind = 'credit_note'   | document_series_once
    new | state = state                     | test_clock_id = gen_random_uuid() | document_series_once
    new | state = state                     | merchant_id = gen_random_uuid() | document_series_once
  `,
}

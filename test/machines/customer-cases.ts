import { type CustomerOpening, customerMachine } from '../../machines/customer.ts'
import { largestText } from './largest.ts'
import { type Cases, T0 } from './table.ts'

export const customerOpening: CustomerOpening = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  apiVersion: '2026-11-20',
  email: 'ada@example.com',
  name: null,
  company: null,
  taxId: null,
  address: null,
  locale: null,
  reference: null,
  source: 'merchant',
  testClockId: null,
  metadata: {},
}

const other = '0193a000-0000-7000-8000-000000000002'
const at = T0

export const customers: Cases = {
  machine: customerMachine,
  input: customerOpening,
  events: {
    rename: { type: 'update', at, changes: { name: 'Ada Example', reference: 'account 7' } },
    'change nothing': { type: 'update', at, changes: {} },
    'merge into another': { type: 'merge', at, intoId: other },
    absorb: { type: 'absorb', at },
    'adjust credit': { type: 'adjust_credit', at },
    erase: { type: 'erase', at, email: 'cus_1@erased.invalid', accountId: '0193a000-0000-7000-8000-00000000000a' },
    'erase copies': { type: 'copies_erased', at },
    'after repetition': { type: 'xstate.after' },
  },
  situations: {
    ...{ new: '', renamed: 'rename', merged: 'merge into another' },
    ...{ erasing: 'rename, erase', erased: 'erase, erase copies' },
  },
  table: `
    A customer is changed until it is merged or erased, which is final.
    new, renamed | change nothing     | stays  |
    new          | rename             | stays  |                                  | name=Ada Example reference=account 7
    renamed      | rename             | stays  |
    new, renamed | absorb             | stays  |
    new, renamed | adjust credit      | stays  |
    new, renamed | merge into another | merged | !moveToSurvivor customer.merged | mergedIntoId=${other}
    new          | erase              | erasing | !eraseRecords !eraseCopies +repetition | email=cus_1@erased.invalid erasedAt=+0m erasedBy=0193a000-0000-7000-8000-00000000000a
    renamed      | erase              | erasing | !eraseRecords !eraseCopies +repetition | email=cus_1@erased.invalid name=null reference=null erasedAt=+0m erasedBy=0193a000-0000-7000-8000-00000000000a
    erasing      | erase copies       | erased | -repetition customer.erased |
    erasing      | after repetition   | stays  | -repetition !eraseCopies +repetition |
  `,
  minSteps: 12,
  walk: { minSteps: 4 },
  invalidRows: `
    new    | livemode = true, test_clock_id = gen_random_uuid() | customers_test_clock
    new    | state = 'open'                        | customers_state
    new    | email = repeat('a', 255)              | customers_texts
    new    | company = repeat('a', 201)            | customers_texts
    new    | source = 'import'                     | customers_source
    new    | merged_into_id = gen_random_uuid()    | customers_merged
    merged | merged_into_id = null                 | customers_merged
    merged | merged_into_id = id                   | customers_merged
    new    | erased_at = now()                     | customers_erased
    erasing | erased_at = null                     | customers_erased
    erasing | name = 'Ada'                         | customers_erased_fields
    erasing | address = '{}'                       | customers_erased_fields
    erased | metadata = '{"tier": "gold"}'         | customers_erased_fields
    erased | email = 'ada@example.com'             | customers_erased_fields
  `,
  duplicates: `
    renamed | name = 'Ada' | reference = 'account 8' | customers_reference_once
  `,
  largest: {
    ...{
      email: `${'e'.repeat(242)}@example.com`,
      name: largestText(200),
      company: largestText(200),
      taxId: largestText(200),
    },
    address: {
      ...{ line1: largestText(200), line2: largestText(200), city: largestText(200), postalCode: largestText(200) },
      ...{ state: largestText(200), country: 'GB' },
    },
    ...{ reference: largestText(200), locale: 'zh-Hant-TW' },
  },
}

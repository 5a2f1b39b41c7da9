import { exportDownloadShape } from '../../records/shapes/export.ts'
import type { Docs } from '../docs/docs.ts'
import { columnsOf } from './columns.ts'
import { type ExportKind, type ExportName, exportKinds } from './kinds.ts'
import type { ExportFormat } from './lines.ts'

const names: Readonly<Record<ExportName, string>> = {
  payments: 'payments',
  refunds: 'refunds',
  invoices: 'invoices',
  'credit-notes': 'credit notes',
  subscriptions: 'subscriptions',
  customers: 'customers',
  balances: 'balances',
}

const common = [
  'The response is a file that is sent while it is made, from one moment of the database. Two exports of a range that is over differ only in records whose `updatedAt` differs. Records are as a viewer sees them, without addresses that contain a secret, and an erased customer has no data in it.',
  'At most two exports of a merchant run at a time, in all processes of the service: `429` otherwise. An export may take ten minutes. If it fails after it has begun, the connection is closed without the end of the response, so a part of a file cannot be taken for the whole: HTTP clients report an error. Each export is in the audit log.',
]

/** What changes without `updatedAt`. */
const ofMoment: Partial<Record<ExportName, string>> = {
  payments: 'Confirmations are counted up to `confirmationsRequired`.',
  refunds: '`attention` is that of the moment, without a change of `updatedAt`.',
  customers: '`totals` are those of the moment, without a change of `updatedAt`.',
}

const csv =
  'The file is CSV by RFC 4180 in UTF-8, with CRLF and a line of column names. A column is a field of the object; a field inside another has both names with a dot. Times are ISO 8601 in UTC, amounts are those of the API (`Minor`: in the minor unit of the currency), lists and `metadata` are JSON. An empty cell is null, and `""` an empty text. A text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets a leading `\'`. New columns are added at the end of their object only.'

const ndjson = 'The file has one object of the list in each line, as JSON.'

/** The columns need the types of the records, which are built at the first use. */
export const exportDocsOf = (name: ExportName, format: ExportFormat): Docs => {
  const kind: ExportKind = exportKinds[name]
  const order = 'all' in kind ? [] : ['Objects are in the order of `createdAt` and `id`. A range has at most 400 days.']
  return {
    operation: `export${camel(name)}As${camel(format)}`,
    summary: `Export ${names[name]} as ${format === 'csv' ? 'CSV' : 'NDJSON'}`,
    get description() {
      const columns = () =>
        `Columns: ${columnsOf(kind.record, kind.secrets)
          .map(each => `\`${each.name}\``)
          .join(', ')}.`
      const moment = ofMoment[name] === undefined ? [] : [ofMoment[name]]
      return [...common, ...moment, ...order, ...(format === 'csv' ? [csv, columns()] : [ndjson])].join('\n\n')
    },
    answers: { 200: { file: `The file: \`${format === 'csv' ? 'text/csv' : 'application/x-ndjson'}\`.` } },
    refusals: [
      'rate_limited',
      'service_unavailable',
      ...('all' in kind ? (['chain_unavailable', 'state_conflict'] as const) : []),
    ],
  }
}

const camel = (text: string): string => text.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())

export const createExportDocs: Docs = {
  operation: 'createExport',
  summary: 'Create a download of an export',
  description: [
    'Returns an address that a browser can open without an access token, once and within 60 seconds. Anyone who has it can use it: keep it confidential. Opening it fails after the session has ended or lost its role.',
    'The other fields of the body are the query parameters of the endpoint of the kind and format: `from`, `to` and the filters of the list of the same name. A filter that can be repeated is a list of texts.',
  ].join('\n\n'),
  answers: { 201: exportDownloadShape },
  refusals: ['rate_limited'],
  fields: {
    kind: 'List that is exported.',
    format: '`csv` or `ndjson`: one JSON object in each line.',
    from: 'First day (`YYYY-MM-DD` in your time zone) or time of creation, inclusive. Required for all kinds but `balances`.',
    to: 'Day or time of creation that ends the range, exclusive. At most 400 days after `from`.',
    bom: 'With `true`, a CSV file begins with a byte order mark, by which Excel recognizes UTF-8.',
  },
  example: { kind: 'payments', format: 'csv', from: '2026-01-01', to: '2026-02-01', status: ['success'] },
}

export const downloadExportDocs: Docs = {
  operation: 'downloadExport',
  summary: 'Download an export',
  description:
    'For browsers. The address comes from `POST /v1/merchants/:merchantId/exports` and can be opened once. A request that is refused, such as with `429`, does not use it up, and neither does `HEAD`.',
  answers: { 200: { file: 'The file: `text/csv` or `application/x-ndjson`.' } },
  refusals: ['resource_not_found', 'service_unavailable', 'chain_unavailable', 'state_conflict'],
}

/** What a cell can hold. A list or an open object is JSON text. */
export type CsvValue = string | number | boolean | null | undefined | object

/**
 * A line by RFC 4180. An empty cell is null, and an empty text has quotes. A text that a spreadsheet would read as a formula gets
 * a leading apostrophe.
 */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(cellOf).join(',')}\r\n`

const cellOf = (value: CsvValue): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return quoted(FORMULA.test(value) ? `'${value}` : value)
  return typeof value === 'object' ? quoted(JSON.stringify(value)) : String(value)
}

const FORMULA = /^[=+\-@\t\r]/

const quoted = (text: string): string => (text === '' || SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const SPECIAL = /[",\r\n]/

/** A text, or a number that is written as it is. Null is an empty cell. */
export type CsvCell = string | { readonly number: number | string } | null

/** A table as RFC 4180 has it: lines end with CR LF, also the last one. */
export const csvText = (lines: readonly (readonly CsvCell[])[]): string =>
  lines.map(cells => `${cells.map(cellText).join(',')}\r\n`).join('')

const cellText = (cell: CsvCell): string => {
  if (cell === null) return ''
  if (typeof cell === 'object') return String(cell.number)
  // Spreadsheets would run such a text as a formula.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Postgres literals of arrays of rows, `{"(1,a)","(2,b)"}`: the format that the server parses fastest. postgres.js
 * cannot write it.
 */

export type Value = string | number | bigint | boolean | Date | null | undefined | object

export const rowsLiteral = (rows: readonly (readonly Value[])[]): string => {
  let text = '{'
  let opening = '"('
  for (const row of rows) {
    // `join` instead of `+=` per field: appending would leave each row as a string of a hundred pieces.
    text += `${opening}${row.map(fieldLiteral).join(',')})"`
    opening = ',"('
  }
  return `${text}}`
}

const plain = /^[\w.:+-]+$/

const fieldLiteral = (value: Value): string => {
  if (typeof value === 'string') return textLiteral(value)
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value instanceof Date) return value.toISOString()
  return textLiteral(JSON.stringify(value))
}

const special = /["\\]/g

const textLiteral = (text: string): string => {
  if (plain.test(text)) return text
  // Quoted twice, once for the row and once for the array around it.
  return `\\"${text.replace(special, twice)}\\"`
}

const twice = (character: string): string => (character === '"' ? '\\"\\"' : '\\\\\\\\')

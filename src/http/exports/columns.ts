import type { Shape } from '../../fields/shape.ts'
import { inOrderOf, type Schema, schemaOf } from '../openapi/schema.ts'
import type { CsvValue } from './csv.ts'

/** A column of a CSV file: a field of the record, or one inside it, such as `crypto.quote.rate`. */
export type CsvColumn = { readonly name: string; readonly path: readonly string[] }

/** The columns of a record, in the order of its fields. `leftOut`: fields that no export has. */
export const columnsOf = ({ type, example }: Shape, leftOut: readonly string[]): readonly CsvColumn[] =>
  columnsIn(schemaOf(type()), example, [])
    .filter(([field = '']) => !leftOut.includes(field))
    .map(path => ({ name: path.join('.'), path }))

const columnsIn = (schema: Schema, example: unknown, path: readonly string[]): readonly (readonly string[])[] => {
  const { properties } = inOrderOf(example, objectIn(schema) ?? {})
  if (!isObject(properties)) return [path]
  return Object.entries(properties).flatMap(([field, inner]) =>
    columnsIn(isObject(inner) ? inner : {}, isObject(example) ? example[field] : undefined, [...path, field]),
  )
}

/** The object that the schema allows, also beside null. A list, an open object and a choice of objects are one column. */
const objectIn = (schema: Schema): Schema | undefined => {
  const choices = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [schema]
  const [only, ...more] = choices.filter(({ type }) => type !== 'null')
  return only && more.length === 0 && isObject(only.properties) ? only : undefined
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the cells of a record. */
export const cellsOf = (columns: readonly CsvColumn[]): ((record: object) => CsvValue[]) => {
  const readers = columns.map(({ path }) => readerOf(path))
  return record => readers.map(read => read(record))
}

const readerOf = ([field = '', ...inside]: readonly string[]): ((record: CsvValue) => CsvValue) => {
  const read = (record: CsvValue): CsvValue =>
    typeof record === 'object' && record !== null ? (record as Readonly<Record<string, CsvValue>>)[field] : null
  if (inside.length === 0) return read
  const next = readerOf(inside)
  return record => next(read(record))
}

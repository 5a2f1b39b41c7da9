import type { Type } from 'arktype'
import { lengthsIn } from '../text.ts'

/** A JSON Schema, as OpenAPI 3.1 has it. */
export type Schema = { readonly [keyword: string]: unknown }

/** The name of a schema that stands by itself, if it does. */
export type NameOf = (schema: Schema) => string | undefined

/** What a field means, by its path in the schema that is being explained. */
export type Explain = (path: string) => string | undefined

/** What a type takes, before it makes anything else of it. Rules that are functions are for words to say, but for lengths. */
export const schemaOf = (type: Type): Schema => ({
  ...type.in.toJsonSchema({
    dialect: null,
    fallback: of => (of.code === 'predicate' ? { ...of.base, ...lengthsIn(of.predicate) } : of.base),
  }),
})

/** The same to be read by people: what has a name by its name, what may be null in one line, every field explained. */
export const readable = (schema: Schema, nameOf: NameOf, explain: Explain, path = ''): Schema => {
  const part = (inner: unknown, at = path): Schema => {
    const name = isSchema(inner) ? nameOf(inner) : undefined
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
    return isSchema(inner) ? readable(inner, nameOf, explain, at) : {}
  }
  const described = (field: string, inner: unknown): Schema => {
    const at = path === '' ? field : `${path}.${field}`
    const description = explain(at)
    return { ...part(inner, at), ...(description !== undefined && { description }) }
  }
  const { properties, items, anyOf, additionalProperties, ...rest } = schema
  return {
    ...typed(rest),
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([field, inner]) => [field, described(field, inner)]),
      ),
    }),
    ...(items !== undefined && { items: part(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: isSchema(additionalProperties) ? part(additionalProperties) : additionalProperties,
    }),
    ...(Array.isArray(anyOf) && oneOfMany(anyOf.map(each => part(each)))),
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values as an enumeration; and `or null` as a second type, where the first is one. */
const oneOfMany = (parts: readonly Schema[]): Schema => {
  const others = parts.filter(({ type }) => type !== 'null')
  const nullable = others.length < parts.length
  const values = others.flatMap(valuesOf)
  if (values.length >= others.length && others.every(each => valuesOf(each).length > 0))
    return typed({ enum: nullable ? [...values, null] : values })
  const [only, ...more] = others
  if (!nullable || more.length > 0 || typeof only?.type !== 'string') return { anyOf: parts }
  return { ...only, type: [only.type, 'null'] }
}

/** Those who make clients like to be told what the values are. */
const typed = (schema: Schema): Schema => {
  const types = [...new Set(valuesOf(schema).map(value => (value === null ? 'null' : typeof value)))]
  return types.length === 0 ? schema : { type: types.length === 1 ? types[0] : types, ...schema }
}

const valuesOf = (schema: Schema): readonly unknown[] =>
  Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []

/** Fields in the order in which an example has them. */
export const inOrderOf = (example: unknown, schema: Schema): Schema => {
  if (!isSchema(schema.properties) || !isSchema(example)) return schema
  const order = Object.keys(example)
  const place = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length)
  const fields = Object.entries(schema.properties).sort(([a], [b]) => place(a) - place(b))
  return { ...schema, properties: Object.fromEntries(fields) }
}

import type { Type } from 'arktype'
import { lengthsIn } from '../text.ts'

/** A JSON Schema, in the dialect of OpenAPI 3.1. */
export type Schema = { readonly [keyword: string]: unknown }

/** The name of a schema in the components, if it has one. */
export type NameOf = (schema: Schema) => string | undefined

/** The description of a field, by its path in the schema. */
export type Explain = (path: string) => string | undefined

/** The input of a type, before it is transformed. A rule that is a function has no JSON Schema, except for lengths; descriptions explain it. */
export const schemaOf = (type: Type): Schema => ({
  ...type.in.toJsonSchema({
    dialect: null,
    fallback: of => (of.code === 'predicate' ? { ...of.base, ...lengthsIn(of.predicate) } : of.base),
  }),
})

/** The same for readers: references instead of named schemas, short nullable types, and a description for every field. */
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

/** Constants become an `enum`; `or null` becomes a second type if the first is a single type. */
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

/** Client generators need the type of the values of an `enum`. */
const typed = (schema: Schema): Schema => {
  const types = [...new Set(valuesOf(schema).map(value => (value === null ? 'null' : typeof value)))]
  return types.length === 0 ? schema : { type: types.length === 1 ? types[0] : types, ...schema }
}

const valuesOf = (schema: Schema): readonly unknown[] =>
  Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []

/** Sorts the fields as in the example. */
export const inOrderOf = (example: unknown, schema: Schema): Schema => {
  if (!isSchema(schema.properties) || !isSchema(example)) return schema
  const order = Object.keys(example)
  const place = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length)
  const fields = Object.entries(schema.properties).sort(([a], [b]) => place(a) - place(b))
  return { ...schema, properties: Object.fromEntries(fields) }
}

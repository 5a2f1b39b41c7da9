import type { Schema } from '../../http/openapi/schema.ts'
import { type Html, html } from '../html.ts'
import { objectPath } from './paths.ts'
import { inline } from './prose.ts'

/** The fields of an object, each with its type and description. */
export const fieldsOf = (schema: Schema): Html => {
  const required = Array.isArray(schema.required) ? schema.required : []
  const isRequest = schema.additionalProperties === false
  const all = Object.entries(partsOf(schema.properties)).map(([name, field]) => {
    // A response has all fields, so only an optional one is marked; in a request the required ones are.
    const note = required.includes(name) === isRequest ? (isRequest ? 'required' : 'not always present') : undefined
    return fieldOf({ name, schema: field, note })
  })
  return html`<dl class="fields">${all}</dl>`
}

type Field = {
  readonly name: string
  readonly schema: Schema
  readonly note?: string | undefined
  readonly text?: string
}

export const fieldOf = ({ name, schema, note, text }: Field): Html => {
  const inner = partOf(schema.items) ?? schema
  const description = text ?? schema.description
  return html`<div>
<dt><code>${name}</code> <small class="quiet">${typeOf(schema)}${note !== undefined && ` · ${note}`}</small></dt>
${typeof description === 'string' && html`<dd>${inline(description)}</dd>`}
${inner.properties !== undefined && html`<dd>${fieldsOf(inner)}</dd>`}
</div>`
}

/** The type in words: `string, 1 to 200 characters or null`. */
const typeOf = (schema: Schema): readonly Html[] | Html => {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return html`<a href="${objectPath(name)}">${name}</a>`
  }
  const { anyOf, enum: values, const: value, items, type } = schema
  if (Array.isArray(anyOf)) return joined(anyOf.map(each => typeOf(partOf(each) ?? {})))
  if (value !== undefined) return html`<code>${JSON.stringify(value)}</code>`
  if (Array.isArray(values)) return joined(values.map(each => html`<code>${JSON.stringify(each)}</code>`))
  const types = [type].flat()
  const rest = types.includes('null') ? ' or null' : ''
  if (items !== undefined) return html`list of ${typeOf(partOf(items) ?? {})}${rest}`
  return html`${wordsFor(schema, String(types[0] ?? 'any value'))}${rest}`
}

const joined = (parts: readonly (Html | readonly Html[])[]): readonly Html[] =>
  parts.map((part, at) => html`${at > 0 && ', '}${part}`)

const wordsFor = (schema: Schema, type: string): string => {
  const { minimum, maximum, minLength, maxLength, format, additionalProperties } = schema
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (format === 'date-time') return 'timestamp'
  if (type === 'object' && additionalProperties) return 'object with any keys'
  if (type === 'integer') return `integer${rangeOf(minimum, most)}`
  if (type === 'string')
    return `string${maxLength === undefined ? '' : `${rangeOf(minLength ?? 0, maxLength)} characters`}`
  return type
}

const rangeOf = (least: unknown, most: unknown): string => {
  if (most !== undefined) return `, ${least ?? 0} to ${most}`
  return least === undefined || least === 0 ? '' : `, at least ${least}`
}

const partsOf = (value: unknown): Readonly<Record<string, Schema>> => Object(value)

const partOf = (value: unknown): Schema | undefined =>
  typeof value === 'object' && value !== null ? { ...value } : undefined

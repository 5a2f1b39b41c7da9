import type { Type } from 'arktype'
import type { Route } from '../route.ts'
import { explainParameter, idExamples } from './glossary.ts'
import { needsIdempotencyKey, takesIdempotencyKey } from './refusals.ts'
import { readable, type Schema, schemaOf } from './schema.ts'

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
  readonly example?: unknown
}

/** The parameters in the path, the query and the headers of a request. */
export const parametersOf = (route: Route): readonly Parameter[] => [
  ...pathParameters(route),
  ...queryParameters(route),
  ...(takesIdempotencyKey(route) ? [idempotencyKey(needsIdempotencyKey(route))] : []),
  ...(route.access.by === 'key' ? [serviceVersion] : []),
]

export const pathOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

const pathParameters = ({ path, docs }: Route): readonly Parameter[] =>
  [...path.matchAll(/([\w-]*)\/:(\w+)/g)].map(([, of = '', name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: explainParameter(name, docs?.operation),
    schema: { type: 'string' },
    example: idExamples[of] ?? idExamples[name],
  }))

type Prop = {
  readonly key: string | symbol
  readonly value: Type
  readonly required: boolean
  readonly default?: unknown
}

const queryParameters = ({ query, docs }: Route): readonly Parameter[] =>
  propsOf(query).map(prop => ({
    name: String(prop.key),
    in: 'query',
    required: prop.required,
    description: explainParameter(String(prop.key), docs?.operation),
    schema: { ...meantBy(prop), ...defaultOf(prop) },
  }))

// Every query is declared as an object type, which has `props`; `Type` does not show that.
const propsOf = (query: Type | undefined): readonly Prop[] =>
  (query as { readonly props: readonly Prop[] } | undefined)?.props ?? []

/** Query values arrive as strings; the document has the type that a string stands for. */
const meantBy = ({ value }: Prop): Schema => {
  const sent = readable(
    schemaOf(value),
    () => undefined,
    () => undefined,
  )
  if (Array.isArray(sent.enum) && sent.enum.join() === 'false,true') return { type: 'boolean' }
  const made = schemaOf(value.out)
  return made.type === 'integer' ? made : sent
}

const defaultOf = ({ value, default: text }: Prop): Schema => (text === undefined ? {} : { default: value(text) })

const idempotencyKey = (required: boolean): Parameter => ({
  name: 'Idempotency-Key',
  in: 'header',
  required,
  description: explainParameter('Idempotency-Key'),
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
  example: 'a3f1c2d4-0b1e-4c55-9a53-6d6c3f6f2a10',
})

const serviceVersion: Parameter = {
  name: 'Service-Version',
  in: 'header',
  required: false,
  description: explainParameter('Service-Version'),
  schema: { type: 'string', format: 'date' },
  example: '2026-11-20',
}

import { healthRoutes } from '../../../src/http/health.ts'
import { type Document, documentOf } from '../../../src/http/openapi/document.ts'
import type { Operation } from '../../../src/http/openapi/operation.ts'
import type { Schema } from '../../../src/http/openapi/schema.ts'
import { routes } from '../../../src/http/routes.ts'
import { pageRoutes } from '../../../src/server/page-routes.ts'

type Call = {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The dashboard has the operations of people who have signed in or are about to; the pages of operators have theirs. */
export type Surface = 'dashboard' | 'ops'

export const callFiles: Readonly<Record<Surface, string>> = {
  dashboard: 'src/web/api/calls.ts',
  ops: 'src/web/api/ops-calls.ts',
}

/**
 * The calls of the browser and their types, from the OpenAPI document. Written into a file, because the browser's code is
 * checked without that of the server.
 */
export const writeCalls = (surface: Surface): string => {
  const document = documentOf([...healthRoutes({}), ...routes, ...pageRoutes(routes)], 'http://localhost')
  const calls = callsIn(document, surface)
  const used = new Set<string>()
  const [constName, typeName] = surface === 'ops' ? ['opsCalls', 'OpsCall'] : ['calls', 'Call']
  const inputs = calls.map(
    call => `  ${call.name}: {\n    input: ${inputOf(call, document, used)}\n    output: ${outputOf(call, used)}\n  }`,
  )
  const types = schemasIn(document, used)
  return [
    '// Written by `bun run calls` from the OpenAPI document. A test fails if it is not up to date.\n',
    '/** By operation: the method, the path, the parameters of the query. Other fields are sent in the body. */',
    `export const ${constName} = {\n${calls.map(lineOf).join('\n')}\n} as const\n`,
    `export type ${typeName}Name = keyof typeof ${constName}\n`,
    '/** What goes into a call, and what comes out of it. */',
    `export type ${typeName}s = {\n${inputs.join('\n')}\n}\n`,
    ...types,
  ].join('\n')
}

/**
 * JSON for people: neither pages, nor what only API keys and customers call. A member begins a test payment as customers
 * begin theirs. The suffix of a twin is left out.
 */
const callsIn = ({ paths }: Document, surface: Surface): readonly Call[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const isForOperators = path.startsWith('/v1/ops/')
      if (isForOperators !== (surface === 'ops')) return []
      const isForPeople = path.startsWith('/v1/auth/') || operation.security.some(each => 'session' in each)
      const isInvite = path.startsWith('/v1/invites/')
      if (!isForPeople && !isInvite && operation.operationId !== 'openCheckout') return []
      return [{ name: operation.operationId.replace(/AsMember$/, ''), method: method.toUpperCase(), path, operation }]
    }),
  )

const lineOf = ({ name, method, path, operation }: Call): string => {
  const query = operation.parameters.filter(each => each.in === 'query').map(each => each.name)
  return `  ${name}: '${method} ${path}${query.length > 0 ? `?${query.join('&')}` : ''}',`
}

const inputOf = ({ operation }: Call, document: Document, used: Set<string>): string => {
  const fields = operation.parameters
    .map(each => ({ ...each, name: each.name === 'Idempotency-Key' ? 'idempotencyKey' : each.name }))
    .filter(each => each.in !== 'header' || each.name === 'idempotencyKey')
    .map(({ name, required, schema }) => `readonly ${name}${required ? '' : '?'}: ${typeOf(schema, used)}`)
  const body = bodyOf(operation, document)
  const sent = body && typeOf(body, used)
  if (fields.length === 0) return sent ?? 'object'
  return `{ ${fields.join('; ')} }${sent ? ` & ${sent}` : ''}`
}

const bodyOf = ({ requestBody }: Operation, { components }: Document): Schema | undefined => {
  const ref = String(requestBody?.content['application/json']?.schema.$ref ?? '')
  return components.schemas[nameIn(ref)]
}

const outputOf = ({ operation }: Call, used: Set<string>): string => {
  const outputs = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content = {} }]) => {
      const json = content['application/json']
      if (json) return typeOf(json.schema, used)
      return content['text/event-stream'] ? 'ReadableStream' : 'undefined'
    })
  return outputs.join(' | ')
}

const nameIn = (ref: string): string => ref.slice('#/components/schemas/'.length)

/** The named schemas that are used, and those that they use, in the order of their first use. */
const schemasIn = ({ components }: Document, used: Set<string>): readonly string[] => {
  const written: string[] = []
  // A set is walked in the order of insertion, with what is added on the way.
  for (const name of used) written.push(`export type ${name} = ${typeOf(components.schemas[name] ?? {}, used)}\n`)
  return written
}

const typeOf = (schema: Schema, used: Set<string>): string => {
  const { $ref, type, properties, items, anyOf, additionalProperties, required } = schema
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined
  if (typeof $ref === 'string') {
    used.add(nameIn($ref))
    return nameIn($ref)
  }
  if (values) return values.map(value => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ')
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(each => typeOf(each, used)))].join(' | ')
  if (Array.isArray(type)) return type.map(each => typeOf({ ...schema, type: each }, used)).join(' | ')
  if (type === 'array') return `readonly (${typeOf(Object(items ?? {}), used)})[]`
  if (type === 'integer') return 'number'
  if (type !== 'object' && type !== undefined) return String(type)
  if (properties !== undefined) return objectOf(Object(properties), Array.isArray(required) ? required : [], used)
  if (type === undefined) return 'unknown'
  return `Readonly<Record<string, ${additionalProperties ? typeOf(Object(additionalProperties), used) : 'unknown'}>>`
}

const objectOf = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly unknown[],
  used: Set<string>,
): string => {
  const fields = Object.entries(properties).map(
    ([name, inner]) => `  readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(inner, used)}`,
  )
  return fields.length === 0 ? 'object' : `{\n${fields.join('\n')}\n}`
}

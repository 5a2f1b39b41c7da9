import type { Code } from '../../errors.ts'
import type { Shape } from '../../fields/shape.ts'
import type { Docs, DocumentedAnswer } from '../docs/docs.ts'
import type { Route } from '../route.ts'
import { strict } from '../validate.ts'
import { type Components, components, errorSchema } from './components.ts'
import { explainField } from './glossary.ts'
import { guide } from './guide.ts'
import { bodyName, type Operation, operationOf } from './operation.ts'
import { pathOf } from './parameters.ts'
import { refusalsOf } from './refusals.ts'
import { inOrderOf, readable, type Schema, schemaOf } from './schema.ts'
import { tagsOf } from './tags.ts'

export type Document = Schema & {
  readonly info: { readonly title: string; readonly version: string; readonly summary: string } & Schema
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly components: Components & { readonly schemas: Readonly<Record<string, Schema>> }
}

/** The API as an OpenAPI 3.1 document, derived from the routes that are served and the types that validate requests. */
export const documentOf = (routes: readonly Route[], publicUrl: string): Document => {
  const codes = [...new Set(routes.flatMap(refusalsOf))].sort()
  return {
    openapi: '3.1.0',
    info: {
      title: 'paymachine',
      version: '2026-11-20',
      summary: 'Self-hosted crypto payments for merchants.',
      description: guide.map(({ title, text }) => `## ${title}\n\n${text}`).join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl, description: 'This server' }],
    tags: tagsOf(routes),
    paths: pathsOf(routes),
    components: { ...components(codes), schemas: schemasOf(routes, codes) },
  }
}

const pathsOf = (routes: readonly Route[]): Document['paths'] =>
  Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => pathOf(path))].map(([path, group]) => [
      path,
      Object.fromEntries(group.map(route => [route.method.toLowerCase(), operationOf(route, routes)])),
    ]),
  )

/** All schemas of requests and responses, by name. A schema that has a name is referred to by it inside other schemas. */
const schemasOf = (routes: readonly Route[], codes: readonly Code[]): Record<string, Schema> => {
  const answered = routes
    .flatMap(({ docs }) => Object.values(docs?.answers ?? {}).flatMap(shapeIn))
    .flatMap(withParts)
    .map(whole)
  const sent = routes.flatMap(({ body, docs }) =>
    body && docs
      ? [
          {
            name: bodyName(docs.operation),
            schema: schemaOf(strict(body)),
            example: docs.example,
            inside: { ...madeOf(docs)?.inside, ...docs.fields },
          },
        ]
      : [],
  )
  const names = new Map(answered.map(({ schema, name }) => [JSON.stringify(schema), name]))
  const nameOf = (schema: Schema) => names.get(JSON.stringify(schema))
  return Object.fromEntries([
    ...[...answered, ...sent].map(({ name, schema, example, inside }) => {
      const of = name.replace(/With[A-Z].*$|Body$/, '')
      const explain = (path: string) => inside?.[path] ?? explainField(path, of)
      return [name, inOrderOf(example, readable(schema, nameOf, explain))] as const
    }),
    ['Error', errorSchema(codes)],
  ])
}

const shapeIn = (answer: DocumentedAnswer | null): readonly Shape[] => {
  if (typeof answer !== 'object' || answer === null || 'plain' in answer || 'file' in answer) return []
  return ['events' in answer ? answer.events : answer]
}

const withParts = (shape: Shape): readonly Shape[] => [shape, ...(shape.parts ?? []).flatMap(withParts)]

const whole = ({ name, type, example, inside }: Shape) => ({ name, schema: schemaOf(type()), example, inside })

/** The record that an operation returns: a field of its body has the meaning of the field with the same name. */
const madeOf = ({ answers }: Docs): Shape | undefined => shapeIn(answers[201] ?? answers[200] ?? null)[0]

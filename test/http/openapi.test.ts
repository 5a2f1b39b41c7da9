import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type } from 'arktype'
import type { Shape } from '../../src/fields/shape.ts'
import { healthRoutes } from '../../src/http/health.ts'
import { documentOf } from '../../src/http/openapi/document.ts'
import { fieldDescriptions } from '../../src/http/openapi/glossary.ts'
import { refusalsOf } from '../../src/http/openapi/refusals.ts'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { strict } from '../../src/http/validate.ts'
import { pageRoutes } from '../../src/server/page-routes.ts'

const served: readonly Route[] = [...healthRoutes({}), ...routes, ...pageRoutes(routes)]
const document = documentOf(served, 'https://pay.lamps.shop')
const nameOf = ({ method, path }: Route) => `${method} ${path}`
const each = served.map(route => [nameOf(route), route] as const)
const operations = Object.values(document.paths).flatMap(methods => Object.values(methods))

test.each(each)('%s has a summary and a description', (_, { docs }) => {
  expect(docs?.summary).toMatch(/^[A-Z].*[^.]$/)
  expect(docs?.operation).toMatch(/^[a-z][A-Za-z]+$/)
  // A form leads to another page, and a WebSocket is no response.
  expect(
    Object.keys(docs?.answers ?? {}).some(status => status.startsWith('2') || ['101', '303'].includes(status)),
  ).toBe(true)
})

test('the document contains exactly the routes that are served', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  expect(documented.sort()).toEqual(served.map(nameOf).sort())
})

test('operation ids are unique', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

describe('an example', () => {
  test.each(each.filter(([, { body }]) => body !== undefined))('of a body is accepted by its route: %s', (_, route) => {
    expect(route.docs?.example).toBeDefined()
    expect(strict(route.body)(route.docs?.example)).not.toBeInstanceOf(type.errors)
  })

  test('of a response matches its schema exactly', () => {
    const answers = served.flatMap(({ docs }) => Object.values(docs?.answers ?? {}))
    const shapes = answers.flatMap((answer): Shape[] => {
      if (typeof answer !== 'object' || answer === null || 'plain' in answer || 'file' in answer) return []
      return ['events' in answer ? answer.events : answer]
    })
    for (const shape of shapes) {
      const parsed = shape.type().onDeepUndeclaredKey('reject')(shape.example)
      expect([shape.name, parsed instanceof type.errors ? parsed.summary : '']).toEqual([shape.name, ''])
    }
  })

  test('exists for every body and for every response with content', () => {
    for (const { operationId, responses, requestBody } of operations) {
      const contents = [...Object.values(responses).map(({ content }) => content), requestBody?.content]
      for (const content of contents) {
        const json = content && 'application/json' in content ? content['application/json'] : undefined
        const given = json === undefined || 'example' in json || 'examples' in json
        expect([operationId, given]).toEqual([operationId, true])
      }
    }
  })
})

describe("the document derives from a route's declaration:", () => {
  const answersOf = (name: string) => {
    const [method = '', path = ''] = name.split(' ')
    return document.paths[path]?.[method.toLowerCase()]
  }
  const codesOf = (name: string) =>
    Object.entries(answersOf(name)?.responses ?? {}).flatMap(([status, { content }]) =>
      Object.keys(content?.['application/json']?.examples ?? {}).map(code => `${status} ${code}`),
    )

  test('errors of a route for keys', () => {
    expect(answersOf('GET /v1/payments/{id}')?.security).toEqual([{ apiKey: ['payments:read'] }])
    expect(codesOf('GET /v1/payments/{id}')).toEqual([
      '400 invalid_api_version',
      '400 parameter_unknown',
      '400 parameter_invalid',
      '401 missing_api_key',
      '401 invalid_api_key',
      '403 insufficient_scope',
      '404 resource_not_found',
      '429 rate_limited',
      '500 internal_error',
      '503 service_unavailable',
    ])
  })

  test('the idempotency key that a refund requires, for keys and for members', () => {
    for (const path of ['/v1/payments/{id}/refunds', '/v1/merchants/{merchantId}/payments/{id}/refunds']) {
      const { parameters = [], responses } = answersOf(`POST ${path}`) ?? {}
      expect(parameters.find(({ name }) => name === 'Idempotency-Key')).toMatchObject({ required: true })
      expect(Object.keys(responses ?? {})).toEqual([
        '201',
        '400',
        '401',
        '403',
        '404',
        '409',
        '413',
        '415',
        '422',
        '429',
        '500',
        '503',
      ])
      expect(responses?.['201']?.headers).toHaveProperty('Idempotent-Replayed')
    }
  })

  test('the errors of a change that needs a recent proof of identity', () => {
    const rotate = 'POST /v1/merchants/{merchantId}/api-keys/{id}/rotate'
    expect(answersOf(rotate)?.security).toEqual([{ session: ['developer'] }])
    expect(codesOf(rotate)).toContain('403 step_up_required')
    expect(codesOf(rotate)).toContain('403 insufficient_role')
  })

  test('no errors for the query of an HTML page', () => {
    for (const path of ['/docs', '/pay/{linkId}', '/claims/{secret}', '/refunds'])
      expect([path, codesOf(`GET ${path}`).includes('400 parameter_unknown')]).toEqual([path, false])
    expect(codesOf('POST /claims/{secret}')).toContain('400 parameter_unknown')
    expect(codesOf('GET /openapi.json')).toContain('400 parameter_unknown')
  })

  test('that disputes exist only in the sandbox', () => {
    expect(codesOf('GET /v1/disputes/{id}')).toContain('403 sandbox_only')
  })

  test('the meaning of query parameters', () => {
    const { parameters = [] } = answersOf('GET /v1/merchants/{merchantId}/payments') ?? {}
    const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
    expect(schemas.limit).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
    expect(schemas.livemode).toEqual({ type: 'boolean', default: false })
    expect(schemas.order).toEqual({ type: 'string', enum: ['asc', 'desc'], default: 'desc' })
  })
})

test('every code that a route can return has an example', () => {
  for (const route of served)
    for (const code of refusalsOf(route)) expect(document.components.examples[code]?.value).toBeDefined()
})

test('every field and every parameter has a description', () => {
  const undescribed: string[] = []
  const walk = (schema: unknown, path: string): void => {
    const { properties = {}, items } = Object(schema)
    for (const [name, field] of Object.entries<object>(properties)) {
      if (!('description' in field)) undescribed.push(`${path}.${name}`)
      walk(field, `${path}.${name}`)
    }
    if (items) walk(items, path)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name)
  for (const { operationId, parameters } of operations)
    for (const { name, description } of parameters) if (description === name) undescribed.push(`${operationId} ${name}`)
  expect(undescribed).toEqual([])
})

test('every description in the glossary is used', () => {
  const used = new Set<string>()
  const show = (path: string) => {
    const name = path.slice(path.lastIndexOf('.') + 1)
    used.add(path in fieldDescriptions ? path : name)
  }
  const walk = (schema: unknown, path: string): void => {
    const { properties = {}, items } = Object(schema)
    for (const [name, field] of Object.entries(properties)) {
      show(`${path}.${name}`)
      walk(field, `${path}.${name}`)
    }
    if (items) walk(items, path)
  }
  for (const [name, schema] of Object.entries(document.components.schemas))
    walk(schema, name.replace(/With[A-Z].*$|Body$/, ''))
  for (const { parameters } of operations) for (const { name } of parameters) show(name)
  expect(Object.keys(fieldDescriptions).filter(name => !used.has(name))).toEqual([])
})

/** The answer to a form is a redirect; the first test of this file looks for one or the other. */
const unlike = ['--skip-rule=operation-2xx-response']

test('the recommended rules of redocly report nothing, without network access', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
  try {
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document))
    const cli = new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url).pathname
    const lint = Bun.spawn(
      [process.execPath, cli, 'lint', 'openapi.json', '--extends=recommended', ...unlike, '--format=json'],
      {
        cwd: folder,
        env: {
          ...process.env,
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
          // Anything it would download fails.
          HTTP_PROXY: 'http://127.0.0.1:9',
          HTTPS_PROXY: 'http://127.0.0.1:9',
        },
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    const [said, problemTexts] = await Promise.all([lint.stdout.text(), lint.stderr.text()])
    expect([await lint.exited, said, problemTexts]).toEqual([0, expect.any(String), expect.any(String)])
    const { problems, totals } = JSON.parse(said.slice(said.indexOf('{')))
    expect(problems).toEqual([])
    expect(totals).toMatchObject({ errors: 0, warnings: 0 })
  } finally {
    await rm(folder, { recursive: true })
  }
})

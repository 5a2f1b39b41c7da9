import { type } from 'arktype'
import { shape } from '../../fields/shape.ts'
import type { Docs } from './docs.ts'

const aliveShape = shape({ name: 'Alive', type: () => type({ status: "'ok'" }), example: { status: 'ok' } })

const readyShape = shape({
  name: 'Readiness',
  type: () =>
    type({
      status: "'ready' | 'not ready'",
      checks: { '[string]': 'string' },
      chains: { '[string]': 'string' },
      locks: 'string',
    }),
  example: {
    status: 'ready',
    checks: { database: 'ok', migrations: 'ok', worker: 'ok' },
    chains: { 31337: 'ok' },
    locks: 'ok',
  },
})

const documentShape = shape({
  name: 'OpenApiDocument',
  type: () => type({ '[string]': 'unknown', openapi: "'3.1.0'" }),
  example: { openapi: '3.1.0', info: { title: 'paymachine', version: '2026-11-20' } },
})

export const healthzDocs: Docs = {
  operation: 'isAlive',
  summary: 'Check that the process is running',
  answers: { 200: aliveShape },
}

export const readyzDocs: Docs = {
  operation: 'isReady',
  summary: 'Check that the server is ready',
  description:
    'Returns 503 if one of `checks` is not `ok`. A problem with a chain, or a locked row, is reported and does not change the status.',
  answers: { 200: readyShape, 503: readyShape },
}

export const metricsDocs: Docs = {
  operation: 'readMetrics',
  summary: 'Retrieve metrics',
  description:
    'Metrics in the text format of Prometheus. If `METRICS_TOKEN` is set, send it as a bearer token. If it is not set, only requests from a loopback address with a loopback `Host` and no forwarding header are allowed, and only if `PUBLIC_URL` is a loopback address.',
  answers: { 200: { plain: '# TYPE paymachine_jobs_ready gauge\npaymachine_jobs_ready 0\n' } },
  refusals: ['invalid_token'],
}

export const openapiDocs: Docs = {
  operation: 'getOpenApiDocument',
  summary: 'Retrieve the OpenAPI document',
  answers: { 200: documentShape },
}

const definitionsShape = shape({
  name: 'MachineDefinitions',
  type: () => type({ '[string]': 'object' }),
  example: { payment_link: { id: 'payment-link', initial: { target: 'active', actions: [] }, states: {} } },
})

export const machinesDocs: Docs = {
  operation: 'getMachineDefinitions',
  summary: 'Retrieve the state machines',
  description:
    'Definition of each state machine, by its name. `createMachine(definition)` of XState 5 has the same states and transitions.',
  answers: { 200: definitionsShape },
}

export const docsPageDocs: Docs = {
  operation: 'readDocs',
  summary: 'Show the API reference',
  answers: { 200: 'HTML page with the introduction and a list of all endpoints.' },
}

export const docsSectionDocs: Docs = {
  operation: 'readDocsSection',
  summary: 'Show a section of the API reference',
  answers: {
    200: 'HTML page with the endpoints of one section, all objects, or all error codes.',
    404: 'The section does not exist.',
  },
}

export const assetDocs: Docs = {
  operation: 'getAsset',
  summary: 'Retrieve a file of the pages',
  description: 'Script or style sheet of a page. The name contains the hash of its content, so it never changes.',
  answers: { 200: { file: 'The file, in the encoding that `Accept-Encoding` prefers: Brotli, gzip or none.' } },
  refusals: ['route_not_found'],
}

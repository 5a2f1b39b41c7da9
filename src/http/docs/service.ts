import { type } from 'arktype'
import { shape } from '../../records/shapes/shape.ts'
import type { Docs } from '../openapi/docs.ts'

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

export const healthz: Docs = {
  operation: 'isAlive',
  summary: 'See that the process lives',
  answers: { 200: aliveShape },
}

export const readyz: Docs = {
  operation: 'isReady',
  summary: 'See that the service can do its work',
  answers: { 200: readyShape, 503: readyShape },
}

export const metrics: Docs = {
  operation: 'readMetrics',
  summary: 'Read figures of the process and of what waits',
  description:
    'For Prometheus. With `METRICS_TOKEN` set, the request sends it as a bearer token. Without it, only requests from loopback with a loopback `Host` and no forwarding header are answered, and only while `PUBLIC_URL` is loopback.',
  answers: { 200: { plain: '# TYPE paymachine_jobs_ready gauge\npaymachine_jobs_ready 0\n' } },
  refusals: ['invalid_token'],
}

export const openapi: Docs = {
  operation: 'getOpenApiDocument',
  summary: 'Read this document',
  answers: { 200: documentShape },
}

export const docs: Docs = {
  operation: 'readDocs',
  summary: 'Read the same as a page',
  answers: { 200: 'The interface, for people: the guide, and a list of all endpoints.' },
}

export const docsSection: Docs = {
  operation: 'readDocsSection',
  summary: 'Read a section of it as a page',
  answers: { 200: 'The endpoints of one section, all records, or all codes.', 404: 'There is no such section.' },
}

export const pay: Docs = {
  operation: 'visitPaymentLink',
  summary: 'Visit a payment link',
  description: 'The page a customer is sent to.',
  answers: {
    200: 'The link is open.',
    404: 'There is no such link.',
    410: 'The link is closed: deactivated, completed or expired.',
  },
}

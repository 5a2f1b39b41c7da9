import { listShape } from '../../fields/shape.ts'
import { opsAuditRecord } from '../../records/ops-audit.ts'
import { opsChainRecord } from '../../records/ops-chain.ts'
import { opsDatabaseRecord } from '../../records/ops-database.ts'
import { opsEndpointRecord } from '../../records/ops-endpoint.ts'
import { opsQueueRecord } from '../../records/ops-queue.ts'
import { opsSignerRecord } from '../../records/ops-signer.ts'
import { opsWorkerRecord } from '../../records/ops-worker.ts'
import type { Docs } from './docs.ts'

export const listQueuesDocs: Docs = {
  operation: 'listQueues',
  summary: 'List queues of background jobs',
  description: 'The whole list.',
  answers: { 200: listShape(opsQueueRecord) },
}

export const listWorkersDocs: Docs = {
  operation: 'listWorkers',
  summary: 'List workers',
  description: 'The whole list. A process with `ROLE=api` is not a worker.',
  answers: { 200: listShape(opsWorkerRecord) },
}

export const listChainsDocs: Docs = {
  operation: 'listChains',
  summary: 'List chains and their nodes',
  description:
    'The whole list of enabled chains. Errors of nodes are single words: the texts of nodes may contain keys.',
  answers: { 200: listShape(opsChainRecord) },
}

export const listWaitingEndpointsDocs: Docs = {
  operation: 'listWaitingEndpoints',
  summary: 'List webhook endpoints that fail or have a backlog',
  description:
    'At most 100: endpoints that the server has disabled, then those whose deliveries are being retried, then those with other deliveries to send. The number of all due deliveries is in `GET /v1/ops/queues`.',
  answers: { 200: listShape(opsEndpointRecord) },
}

export const listSignersDocs: Docs = {
  operation: 'listSigners',
  summary: 'List refund signers',
  description:
    'The whole list of signers with a stored key, with their balances for gas. Signers of the sandbox have no stored key.',
  answers: { 200: listShape(opsSignerRecord) },
}

export const listDatabasesDocs: Docs = {
  operation: 'listDatabases',
  summary: 'Show the database',
  description: 'A list with one entry.',
  answers: { 200: listShape(opsDatabaseRecord) },
}

export const listAuditsDocs: Docs = {
  operation: 'listAudits',
  summary: 'List audits',
  description:
    'An audit checks every invariant of the database. There is one each night, and one for each `POST /v1/ops/audits` and each `bun run audit`.',
  answers: { 200: listShape(opsAuditRecord) },
}

export const getAuditDocs: Docs = {
  operation: 'getAudit',
  summary: 'Retrieve an audit',
  description: 'A run with its checks.',
  answers: { 200: opsAuditRecord },
  refusals: ['resource_not_found'],
}

export const startAuditDocs: Docs = {
  operation: 'startAudit',
  summary: 'Start an audit',
  description:
    'A worker runs it. One audit runs at a time. It has failed if no worker takes it, or its process has ended, for a minute.',
  answers: { 201: opsAuditRecord },
  refusals: ['state_conflict'],
}

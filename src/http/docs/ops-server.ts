import { listShape } from '../../fields/shape.ts'
import { opsAuditRecord } from '../../records/ops-audit.ts'
import { opsChainRecord } from '../../records/ops-chain.ts'
import { opsQueueRecord } from '../../records/ops-queue.ts'
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

export const listAuditsDocs: Docs = {
  operation: 'listAudits',
  summary: 'List audits',
  description:
    'An audit checks every invariant of the database. There is one each night, and one for each `POST /v1/ops/audits` and each `bun run audit`.',
  answers: { 200: listShape(opsAuditRecord) },
}

export const startAuditDocs: Docs = {
  operation: 'startAudit',
  summary: 'Start an audit',
  description:
    'A worker runs it. One audit runs at a time. It has failed if no worker takes it, or its process has ended, for a minute.',
  answers: { 201: opsAuditRecord },
  refusals: ['state_conflict'],
}

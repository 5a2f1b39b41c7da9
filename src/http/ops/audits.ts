import { refuse } from '../../errors.ts'
import { findAudit, findAuditSeq, listAudits, requestAudit } from '../../queries/audits.ts'
import { opsAuditRecord } from '../../records/ops-audit.ts'
import { getAuditDocs, listAuditsDocs, startAuditDocs } from '../docs/ops-server.ts'
import { listOf, listQuery, pageOf } from '../list.ts'
import { uuidIn } from '../record-id.ts'
import { forOperators, type Route } from '../route.ts'

export const auditRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/audits',
      docs: listAuditsDocs,
      query: listQuery,
      handle: async ({ sql }, { query }) => {
        const page = await pageOf(query, uuidIn, id => findAuditSeq(sql, id))
        return { status: 200, body: listOf(await listAudits(sql, page), query.limit, opsAuditRecord.render) }
      },
    },
  ),

  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/audits/:id',
      docs: getAuditDocs,
      handle: async ({ sql }, { params }) => {
        const id = uuidIn(params.id) ?? refuse('resource_not_found')
        return { status: 200, body: opsAuditRecord.render((await findAudit(sql, id)) ?? refuse('resource_not_found')) }
      },
    },
  ),

  forOperators(
    'POST',
    {},
    {
      path: '/v1/ops/audits',
      docs: startAuditDocs,
      handle: async ({ sql }, { session }) => {
        const started =
          (await requestAudit(sql, session.accountId)) ??
          refuse('state_conflict', { message: 'An audit is already running.' })
        return { status: 201, body: opsAuditRecord.render(started) }
      },
    },
  ),
]

import { findSecurityEventSeq, listSecurityEvents } from '../queries/security-events.ts'
import { securityEventRecord } from '../records/security-event.ts'
import { listSecurityEventsDocs } from './docs/people.ts'
import { bothModesQuery, listOf, pageOf } from './list.ts'
import { uuidIn } from './record-id.ts'
import { forMembers, type Route } from './route.ts'

export const auditLogRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'owner' },
    {
      path: '/v1/merchants/:merchantId/audit-log',
      docs: listSecurityEventsDocs,
      query: () => bothModesQuery().and({ 'action?': 'string <= 100' }),
      handle: async ({ sql }, { member: { merchantId }, query }) => {
        const page = await pageOf(query, uuidIn, id => findSecurityEventSeq(sql, merchantId, id))
        const rows = await listSecurityEvents(sql, { merchantId, action: query.action }, page)
        return { status: 200, body: listOf(rows, query.limit, securityEventRecord.render) }
      },
    },
  ),
]

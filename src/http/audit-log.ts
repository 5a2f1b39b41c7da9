import { findSecurityEventSeq, listSecurityEvents } from '../queries/security-events.ts'
import { securityEventRecord } from '../records/security-event.ts'
import * as docs from './docs/people.ts'
import { listOf, listQuery, pageOf } from './list.ts'
import { forMembers, type Route } from './route.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const auditLogRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'owner' },
    {
      path: '/v1/merchants/:merchantId/audit-log',
      docs: docs.listSecurityEvents,
      query: listQuery.and({
        'action?': 'string <= 100',
        // As every list of a merchant takes it; the log is that of both modes.
        'livemode?': "'true' | 'false'",
      }),
      handle: async ({ sql }, { member: { merchantId }, query }) => {
        const page = await pageOf(
          query,
          id => (uuid.test(id) ? id : undefined),
          id => findSecurityEventSeq(sql, merchantId, id),
        )
        const rows = await listSecurityEvents(sql, { merchantId, action: query.action }, page)
        return { status: 200, body: listOf(rows, query.limit, securityEventRecord) }
      },
    },
  ),
]

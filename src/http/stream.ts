import { streamChangesDocs } from './docs/stream.ts'
import { livemodeQuery } from './list.ts'
import { forMembers, type Route } from './route.ts'
import { STREAM_HEADERS } from './text-stream.ts'

export const streamRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: '/v1/merchants/:merchantId/stream',
      docs: streamChangesDocs,
      query: livemodeQuery,
      handle: async ({ merchantStreams }, { member, session, query, headers }) => {
        const owner = { merchantId: member.merchantId, livemode: query.livemode }
        const { sessionId, accountId } = session
        const { role } = member
        const lastId = headers.get('last-event-id')
        const text = await merchantStreams.open(owner, { sessionId, accountId, role, lastId })
        return { status: 200, text, headers: STREAM_HEADERS }
      },
    },
  ),
]

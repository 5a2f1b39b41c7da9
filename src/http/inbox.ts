import { refuse } from '../errors.ts'
import { findInbox } from '../queries/inbox-requests.ts'
import { decryptSecrets } from '../webhooks/endpoint-cache.ts'
import { INBOX_RECEIPT, keepInboxRequest } from '../webhooks/inbox.ts'
import { receiveInboxRequestDocs } from './docs/webhooks.ts'
import { filesFromAnybody, type Route } from './route.ts'

/** As in bodies of the API. */
const MOST_BYTES = 64 * 1024

/** The URLs of inboxes. Deliveries do not come this way: see src/webhooks/inbox.ts. */
export const inboxRoutes: readonly Route[] = [
  filesFromAnybody({
    path: '/sandbox/inbox/:token',
    docs: receiveInboxRequestDocs,
    upload: { types: ['application/json'], mostBytes: MOST_BYTES },
    handle: async (api, { params, headers, body }) => {
      const found = await findInbox(api.sql, params.token)
      const inbox = found ?? refuse('resource_not_found')
      const isKept = await keepInboxRequest(api, {
        endpointId: inbox.id,
        secrets: decryptSecrets(api.keyring, inbox),
        headers: Object.fromEntries(headers),
        body: body.bytes,
      })
      return isKept ? { status: 200, body: INBOX_RECEIPT } : refuse('resource_not_found')
    },
  }),
]

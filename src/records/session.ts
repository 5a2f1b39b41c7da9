import { constantField, idField } from '../fields/every-record.ts'
import { example } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { flag, text, textOrNull, time } from '../fields/wire.ts'
import type { SessionRow } from '../queries/sessions.ts'

/** A session of an account. `currentId`: the session of this request. */
export const sessionRecord = recordOf<SessionRow, { readonly currentId: string }>()('Session', {
  object: constantField('session'),
  id: idField('session', row => row.id),
  current: {
    type: flag,
    about: 'True for the session that made this request.',
    example: true,
    of: (row, { currentId }) => row.id === currentId,
  },
  address: {
    type: text,
    about: 'IP address that the session was last used from.',
    example: '203.0.113.7',
    of: row => row.address,
  },
  userAgent: {
    type: textOrNull,
    about: '`User-Agent` header of the browser. Null if it sent none.',
    example: 'Mozilla/5.0',
    of: row => row.user_agent,
  },
  createdAt: { type: time, example: example.at, of: row => row.created_at.toISOString() },
  lastUsedAt: {
    type: time,
    about: 'Time of the sign-in or of the last refresh of the access token.',
    example: example.later,
    of: row => row.last_used_at.toISOString(),
  },
})

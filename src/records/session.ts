import { encodeId } from '../ids.ts'
import type { SessionRow } from '../queries/sessions.ts'

/** A session of an account. `current`: the session of this request. */
export const sessionRecord = (session: SessionRow, currentId: string) => ({
  object: 'session',
  id: encodeId('session', session.id),
  current: session.id === currentId,
  address: session.address,
  userAgent: session.user_agent,
  createdAt: session.created_at.toISOString(),
  lastUsedAt: session.last_used_at.toISOString(),
})

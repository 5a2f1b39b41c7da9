import type { SessionCaller } from '../access/session-cache.ts'
import { refuse } from '../errors.ts'
import type { Api } from './api.ts'
import { findSession } from './session.ts'

const PROVEN_MS = 5 * 60_000
/** A proof from the future was written before the clock was set back. It would be valid for too long. */
const AHEAD_MS = 60_000

type Proving = { readonly session: SessionCaller; readonly headers: Headers }

/** Requires a recent password or code. For routes with only some sensitive requests; the others declare `stepUp`. */
export const requireStepUp = async (api: Api, { session, headers }: Proving): Promise<void> => {
  // Not from the cache, which is up to a second old: the step-up may have been made in another process, or the session may
  // have ended there, and the change that follows lasts longer than that second.
  api.sessions.forget(session.sessionId)
  if (!isRecent(api, await findSession(api, headers))) refuse('step_up_required')
}

const isRecent = ({ clock }: Api, { provenAt }: SessionCaller): boolean => {
  const ago = clock.now().getTime() - provenAt.getTime()
  return ago <= PROVEN_MS && ago >= -AHEAD_MS
}

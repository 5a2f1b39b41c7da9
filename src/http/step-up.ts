import type { SessionCaller } from '../access/session-book.ts'
import { refuse } from '../errors.ts'
import type { Api } from './api.ts'
import { findSession } from './session.ts'

const PROVEN_MS = 5 * 60_000
/** A proof from further ahead was written before the clock was set back, and would be good for too long. */
const AHEAD_MS = 60_000

type Proving = { readonly session: SessionCaller; readonly headers: Headers }

/** Refuses whoever has not given a password or a code lately. For routes of which only some requests are sensitive; the others say so in the table. */
export const requireStepUp = async (api: Api, { session, headers }: Proving): Promise<void> => {
  // What is remembered is up to a second old: the proof may have been given in another process, or the
  // session ended there, and what is asked for here outlives that second.
  api.sessions.forget(session.sessionId)
  if (!isRecent(api, await findSession(api, headers))) refuse('step_up_required')
}

const isRecent = ({ clock }: Api, { provenAt }: SessionCaller): boolean => {
  const ago = clock.now().getTime() - provenAt.getTime()
  return ago <= PROVEN_MS && ago >= -AHEAD_MS
}

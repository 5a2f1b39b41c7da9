import { refuse } from '../errors.ts'
import type { Api } from './api.ts'
import type { SessionCaller } from './route.ts'

const PROVEN_MS = 5 * 60_000

/** For routes of which only some requests are sensitive; the others say so in the table. */
export const requireStepUp = (api: Api, session: SessionCaller): void => {
  if (api.clock.now().getTime() - session.provenAt.getTime() > PROVEN_MS) refuse('step_up_required')
}

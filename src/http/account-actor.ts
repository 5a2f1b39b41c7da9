import { encodeId } from '../ids.ts'
import type { AccountActor } from '../queries/security-events.ts'

/** The caller, for the audit log. */
export const accountActorOf = (call: {
  readonly session: { readonly accountId: string }
  readonly address: string
}): AccountActor => ({
  accountId: call.session.accountId,
  actor: encodeId('usr', call.session.accountId),
  address: call.address,
})

import { encodeId } from '../ids.ts'
import type { Doer } from '../queries/security-events.ts'

/** The caller, for the audit log. */
export const doerOf = (call: { readonly session: { readonly accountId: string }; readonly address: string }): Doer => ({
  accountId: call.session.accountId,
  actor: encodeId('usr', call.session.accountId),
  address: call.address,
})

import { MFA_PURPOSE } from '../commands/codes.ts'
import { RECOVERY_PURPOSE } from '../commands/deposits.ts'
import { CLAIM_PURPOSE } from '../commands/refund-claims.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../commands/webhook-endpoints.ts'
import { SIGNER_PURPOSE } from '../signer/key.ts'

/** A column with encrypted values, each bound to the ID of its row. */
export type SealedColumn = { readonly table: string; readonly column: string; readonly purpose: string }

/** All encrypted columns. A new one must be added here, or its values are lost after a change of the key. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'accounts', column: 'mfa_secret', purpose: MFA_PURPOSE },
  { table: 'recovery_secrets', column: 'sealed_secret', purpose: RECOVERY_PURPOSE },
  { table: 'refund_claims', column: 'sealed_secret', purpose: CLAIM_PURPOSE },
  { table: 'refund_signers', column: 'sealed_key', purpose: SIGNER_PURPOSE },
  { table: 'webhook_endpoints', column: 'sealed_secret', purpose: WEBHOOK_SECRET_PURPOSE },
  { table: 'webhook_endpoints', column: 'previous_sealed_secret', purpose: WEBHOOK_SECRET_PURPOSE },
]

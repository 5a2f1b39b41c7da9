/** What each kind of secret is sealed for: a text that was sealed for one purpose does not open for another. */
export const MFA_PURPOSE = 'mfa'
export const RECOVERY_PURPOSE = 'recovery secret'
export const CLAIM_PURPOSE = 'refund claim'
export const SIGNER_PURPOSE = 'refund signer key'
export const WEBHOOK_SECRET_PURPOSE = 'webhook secret'

/** A column whose values the keyring has sealed, each for the id of its row. */
export type SealedColumn = { readonly table: string; readonly column: string; readonly purpose: string }

/** All of them. A column that is missing here cannot be read any more after the secret key has been changed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'accounts', column: 'mfa_secret', purpose: MFA_PURPOSE },
  { table: 'recovery_secrets', column: 'sealed_secret', purpose: RECOVERY_PURPOSE },
  { table: 'refund_claims', column: 'sealed_secret', purpose: CLAIM_PURPOSE },
  { table: 'refund_signers', column: 'sealed_key', purpose: SIGNER_PURPOSE },
  { table: 'webhook_endpoints', column: 'sealed_secret', purpose: WEBHOOK_SECRET_PURPOSE },
  { table: 'webhook_endpoints', column: 'previous_sealed_secret', purpose: WEBHOOK_SECRET_PURPOSE },
]

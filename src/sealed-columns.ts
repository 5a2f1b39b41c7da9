/**
 * The encryption purpose of each kind of secret. A text that was encrypted for one purpose cannot be decrypted for
 * another.
 */
export const MFA_PURPOSE = 'mfa'
export const RECOVERY_PURPOSE = 'recovery secret'
export const CLAIM_PURPOSE = 'refund claim'
export const SIGNER_PURPOSE = 'refund signer key'
export const INVOICE_PURPOSE = 'invoice page'
export const SUBSCRIPTION_PURPOSE = 'subscription page'
export const WEBHOOK_SECRET_PURPOSE = 'webhook secret'

/** A column with values that are encrypted by the keyring, each for the id of its row. */
export type SealedColumn = { readonly table: string; readonly column: string; readonly purpose: string }

/** All encrypted columns. A column that is missing here becomes unreadable when the secret key is changed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'accounts', column: 'mfa_secret', purpose: MFA_PURPOSE },
  { table: 'recovery_secrets', column: 'sealed_secret', purpose: RECOVERY_PURPOSE },
  { table: 'refund_claims', column: 'sealed_secret', purpose: CLAIM_PURPOSE },
  { table: 'refund_signers', column: 'sealed_key', purpose: SIGNER_PURPOSE },
  { table: 'invoices', column: 'sealed_token', purpose: INVOICE_PURPOSE },
  { table: 'subscriptions', column: 'sealed_token', purpose: SUBSCRIPTION_PURPOSE },
  { table: 'webhook_endpoints', column: 'sealed_secret', purpose: WEBHOOK_SECRET_PURPOSE },
  { table: 'webhook_endpoints', column: 'previous_sealed_secret', purpose: WEBHOOK_SECRET_PURPOSE },
]

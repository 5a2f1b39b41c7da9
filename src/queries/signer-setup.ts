import type { Sql } from '../postgres/connect.ts'

/** How much a signer may refund in a currency, in minor units. */
export type SignerLimit = {
  readonly currency: string
  readonly perRefundMinor: number
  readonly perDayMinor: number
}

export type SignerToAdd = {
  readonly id: string
  readonly merchantId: string
  readonly chainId: number
  /** In lower case. */
  readonly address: string
  readonly sealedKey: string
  /** The next nonce of the address on the chain. */
  readonly firstNonce: number
  readonly limits: readonly SignerLimit[]
}

/**
 * `changed`: it existed and has the new limits. `has_another`: the merchant has another signer. `taken`: the key is in
 * use.
 */
export const addSigner = async (
  sql: Sql,
  { id, merchantId, chainId, address, sealedKey, firstNonce, limits }: SignerToAdd,
): Promise<'added' | 'changed' | 'has_another' | 'taken'> => {
  const [row] = await sql<[{ outcome: 'added' | 'changed' | 'has_another' | 'taken' }]>`
    select add_refund_signer(${id}, ${merchantId}, ${chainId}, ${address}, ${sealedKey}, ${firstNonce},
      ${JSON.stringify(limits)}::text::json, 'operator') as outcome`
  return row.outcome
}

/** Returns how many refunds are left to manual signing; undefined if the signer was not on hold. */
export const releaseSigner = async (
  sql: Sql,
  { id, firstNonce }: Pick<SignerToAdd, 'id' | 'firstNonce'>,
): Promise<number | undefined> => {
  const [row] = await sql<[{ left: string | null }]>`
    select release_refund_signer(${id}, ${firstNonce}, 'operator') as left`
  return row.left === null ? undefined : Number(row.left)
}

export type PresentSigner = {
  readonly id: string
  readonly address: string
  readonly isOnHold: boolean
  readonly nextNonce: number
  /** Refunds waiting for a signature that a transfer on the chain may have paid. */
  readonly undecided: number
}

/** The signer that has not been removed. */
export const findPresentSigner = async (
  sql: Sql,
  { merchantId, chainId }: { merchantId: string; chainId: number },
): Promise<PresentSigner | undefined> => {
  const [row] = await sql<(Omit<PresentSigner, 'nextNonce'> & { readonly nextNonce: string })[]>`
    select s.id, s.address, is_on_hold(s) as "isOnHold",
      (select greatest(s.first_nonce, max(n.nonce) + 1) from signer_nonces n where n.signer_id = s.id) as "nextNonce",
      (select count(*)::integer from refunds r
        where r.merchant_id = s.merchant_id and r.chain_id = s.chain_id and r.state = 'requires_signature'
          and exists (select from noticed_transfers t where t.refund_id = r.id)) as undecided
    from refund_signers s
    where s.merchant_id = ${merchantId} and s.chain_id = ${chainId} and s.epoch is null and s.removed_at is null`
  return row && { ...row, nextNonce: Number(row.nextNonce) }
}

/** Returns undefined if there is none. */
export const removeSigner = async (
  sql: Sql,
  { merchantId, chainId }: { merchantId: string; chainId: number },
): Promise<{ readonly address: string; readonly open: number } | undefined> => {
  const [row] = await sql<{ removed: string; still_open: string }[]>`
    select removed, still_open from remove_refund_signer(${merchantId}, ${chainId}, 'operator')`
  return row && { address: row.removed, open: Number(row.still_open) }
}

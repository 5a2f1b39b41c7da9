import type { Sql } from '../postgres/connect.ts'

/** How much may be given away without anybody looking, in minor units. */
export type SignerLimit = {
  readonly currency: string
  readonly perRefundMinor: number
  readonly perDayMinor: number
}

export type SignerToAdd = {
  readonly id: string
  readonly merchantId: string
  readonly chainId: number
  /** Small letters. */
  readonly address: string
  readonly sealedKey: string
  /** The chain's. */
  readonly firstNonce: number
  readonly limits: readonly SignerLimit[]
}

/** `changed`: it was there, and has these limits now. `has_another`: the merchant has. `taken`: somebody else has this key. */
export const addSigner = async (
  sql: Sql,
  { id, merchantId, chainId, address, sealedKey, firstNonce, limits }: SignerToAdd,
): Promise<'added' | 'changed' | 'has_another' | 'taken'> => {
  const [row] = await sql<[{ outcome: 'added' | 'changed' | 'has_another' | 'taken' }]>`
    select add_refund_signer(${id}, ${merchantId}, ${chainId}, ${address}, ${sealedKey}, ${firstNonce},
      ${JSON.stringify(limits)}::text::json, 'operator') as outcome`
  return row.outcome
}

/** Undefined where there is none. */
export const removeSigner = async (
  sql: Sql,
  { merchantId, chainId }: { merchantId: string; chainId: number },
): Promise<{ readonly address: string; readonly open: number } | undefined> => {
  const [row] = await sql<{ removed: string; still_open: string }[]>`
    select removed, still_open from remove_refund_signer(${merchantId}, ${chainId}, 'operator')`
  return row && { address: row.removed, open: Number(row.still_open) }
}

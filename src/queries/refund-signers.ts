import type { Sql } from '../postgres/connect.ts'

export type Signer = {
  readonly id: string
  readonly merchant_id: string
  readonly chain_id: string
  /** Null on chains other than the sandbox. */
  readonly epoch: string | null
  readonly address: string
  readonly sealed_key: string | null
}

type Place = { readonly merchantId: string; readonly chainId: number }

/** The merchant's own signer, if it signs refunds of this mode. */
export const findSigner = async (
  sql: Sql,
  { merchantId, chainId, livemode }: Place & { readonly livemode: boolean },
): Promise<Signer | undefined> => {
  const [row] = await sql<Signer[]>`
    select s.id, s.merchant_id, s.chain_id, s.epoch, s.address, s.sealed_key
    from refund_signers s
    join working_signers w on w.id = s.id and w.livemode = ${livemode}
    where s.merchant_id = ${merchantId} and s.chain_id = ${chainId}`
  return row
}

/** The sandbox signer of a merchant in this epoch. Creates it with this id if there is none. */
export const findSandboxSigner = async (
  sql: Sql,
  { id, merchantId, chainId, epoch, address }: Place & { id: string; epoch: string; address: string },
): Promise<Signer> => {
  const [row] = await sql<Signer[]>`
    with made as (
      insert into refund_signers (id, merchant_id, chain_id, epoch, address, first_nonce)
      select ${id}::uuid, ${merchantId}, ${chainId}, ${epoch}, ${address}, 0
      where not exists (
        select from refund_signers where merchant_id = ${merchantId} and chain_id = ${chainId} and epoch = ${epoch})
      on conflict do nothing
      returning *)
    select id, merchant_id, chain_id, epoch, address, sealed_key from made
    union all
    select id, merchant_id, chain_id, epoch, address, sealed_key from refund_signers
    where merchant_id = ${merchantId} and chain_id = ${chainId} and epoch = ${epoch}`
  // Another process has created it during this statement.
  return row ?? findSandboxSigner(sql, { id, merchantId, chainId, epoch, address })
}

/** Signers with signed transactions whose outcome is not known yet. */
export const listSignersWithOpenNonces = (sql: Sql, chainId: number): Promise<Signer[]> => sql<Signer[]>`
  select s.id, s.merchant_id, s.chain_id, s.epoch, s.address, s.sealed_key
  from refund_signers s
  where s.chain_id = ${chainId} and s.id in (select signer_id from signer_nonces where state = 'open')`

import type { Hex } from 'viem'
import type { Chain } from '../../src/chain/chain.ts'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { depositFor } from '../../src/commands/deposits.ts'
import type { Dependencies } from '../../src/dependencies.ts'
import type { Api } from '../../src/http/api.ts'
import { lower } from '../chain/contracts/chain.ts'
import { hashOf } from '../chain/watch/ledger.ts'
import type { TestChain } from '../harness/anvil.ts'
import { openPayment, paid } from '../http/payments.ts'
import type { Shop } from '../http/people.ts'

export const treasury: Hex = '0x52908400098527886e0f7030069857d2e4169ee7'
export const otherTreasury: Hex = '0x8617e340b3d01fa5f11f306f4090fd50e238070d'

/** A chain of test mode with one token, as anvil runs it, under a given id. */
export const chainOf = (token: string, id = 31337): Chain => ({
  ...sandboxChain({ token: token.toLowerCase(), feed: `0x${'f'.repeat(40)}`, euroFeed: `0x${'e'.repeat(40)}` }),
  id,
  network: `Chain ${id}`,
})

export const connected = (chains: readonly { readonly chain: Chain; readonly urls: readonly string[] }[]) => {
  const urlsOf = (id: number) => chains.find(({ chain }) => chain.id === id)?.urls ?? []
  return (outside: Dependencies) =>
    connectChains(
      chains.map(({ chain }) => chain),
      urlsOf,
      outside,
    )
}

/** A chain as far as the ledger is concerned. */
export type OnNode = { readonly node: Pick<TestChain, 'head'> }

export type Given = { readonly to?: Hex; readonly open?: boolean; readonly livemode?: boolean }

/** Addresses given out for as many payments, whose customers have sent something. */
export const addressesOf = async (api: Api, { merchantId }: Shop, count: number, given: Given = {}): Promise<Hex[]> => {
  const { to = treasury, open = false, livemode = false } = given
  const whose = { merchantId, livemode }
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { actor } = open ? await openPayment(api, whose) : await paid(api, whose)
      const { deposit, rows } = await depositFor(api, api.keyring, { paymentId: actor, merchantId, treasury: to })
      for (const { row } of rows) await api.sql`insert into deposit_addresses ${api.sql(row as Record<string, string>)}`
      return lower(deposit.address as Hex)
    }),
  )
}

/** Records transfers to these addresses as final in the last block of a chain. */
export const bookFinal = async (
  { sql }: Api,
  { node }: OnNode,
  addresses: readonly Hex[],
  { chainId = 31337, token = null }: { readonly chainId?: number; readonly token?: Hex | null } = {},
): Promise<void> => {
  const { number, hash } = await node.head()
  await sql`
    insert into transfers (chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, to_address,
      token_address, amount, state)
    select ${chainId}, ${hashOf('tx', crypto.randomUUID())}, row_number() over (), ${number}, ${hash}, now(), payment_id, address,
      ${token}, 1, 'final'
    from deposit_addresses where address = any(${[...addresses]})`
}

/** Sets the cursor of a chain to its head, all final. */
export const readToHead = async ({ sql }: Api, { node }: OnNode, chainId = 31337): Promise<void> => {
  const { number, hash } = await node.head()
  await sql`
    insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step)
    values (${chainId}, ${number}, ${hash}, now(), ${number}, 1)
    on conflict (chain_id) do update set number = ${number}, hash = ${hash}, final_number = ${number}`
}

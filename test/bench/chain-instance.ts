import type { Services } from '../../src/actors/services.ts'
import { audit } from '../../src/audit/audit.ts'
import { openRpc } from '../../src/chain/rpc/open.ts'
import { openSource } from '../../src/chain/watch/source.ts'
import type { ChainSource, WatchedChain } from '../../src/chain/watch/watched-chain.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { insertMerchant } from '../access/keys.ts'
import { openInstance } from '../actors/lamps.ts'
import { addressOf, type BenchNode } from './chain-node.ts'
import { type BenchServer, createMigrated } from './server.ts'

/** A database of its own, and the actors of a worker that reads one chain. */
export type ChainInstance = AsyncDisposable & {
  readonly world: Services
  readonly merchantId: string
  readonly chain: WatchedChain
  readonly source: ChainSource
  /** The same chain, read through another URL. */
  sourceAt(url: string): ChainSource
  /** Throws when the audit reports anything. */
  check(): Promise<void>
}

/** A chain on which payments are made, and the instance that reads it. */
export type Paid = { readonly node: BenchNode; readonly instance: ChainInstance }

export const CHAIN_ID = 31337

/** Blocks of this depth are final; with `never`, none is, as on a chain that is read for the first time. */
export const openChainInstance = async (
  server: BenchServer,
  node: BenchNode,
  confirmations: number,
): Promise<ChainInstance> => {
  const db = await createMigrated(server)
  // The same as in the server: eight connections, which read rows by key.
  const { world: outside, sql, actors, close } = await openInstance(db.url, { kinds })
  const chain = { id: CHAIN_ID, tokens: [node.token], confirmations }
  const world = { ...outside, actors }
  const sourceAt = (url: string) => openSource(openRpc({ chainId: chain.id, urls: [url] }, world), chain.tokens)
  return {
    ...{ world, chain, sourceAt, source: sourceAt(node.url) },
    merchantId: await insertMerchant(sql),
    check: async () => {
      // Plans for single keys would be slow for reading whole tables.
      await using plain = { sql: connect(db.url, { max: 1 }), [Symbol.asyncDispose]: () => plain.sql.end() }
      await plain.sql`analyze`
      const findings = await audit(plain.sql, kinds)
      if (findings.length > 0) throw new Error(`the audit found ${JSON.stringify(findings.slice(0, 5))}`)
    },
    [Symbol.asyncDispose]: async () => {
      await actors.idle()
      await close()
      await db[Symbol.asyncDispose]()
    },
  }
}

/** Addresses registered like those of payments, so that transfers to them are recorded. */
export const issueAddresses = async (
  { world, merchantId }: ChainInstance,
  addresses: readonly string[],
): Promise<void> => {
  await world.sql`
    insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
    select address, gen_random_uuid(), ${merchantId}, ${addressOf('treasury')}, n
    from unnest(${[...addresses]}::text[]) with ordinality as given(address, n)`
}

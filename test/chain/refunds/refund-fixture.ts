import { afterAll, expect } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { audit } from '../../../src/audit/audit.ts'
import type { RefundChain } from '../../../src/chain/refunds/noticed-transfers.ts'
import { decideRefunds } from '../../../src/chain/refunds/watch.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { openTransactions } from '../../../src/chain/watch/transactions.ts'
import { startRefund } from '../../../src/commands/refunds.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { findRefund } from '../../../src/queries/refunds.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { final, happen, openPayment, seen } from '../../http/payments.ts'
import { testChain } from '../watch/test-node.ts'

export const CONFIRMATIONS = 4

/** The default destination of refunds. */
export const customer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** A real chain with blocks mined on demand, a server that has read it, and refunds of 1,000 of its first token. */
export const openRefundFixture = async (server: ApiServer) => {
  const { api, sql } = server
  const chain = await testChain()
  const merchantId = await insertMerchant(sql)
  const whose = { merchantId, livemode: false }
  const watched = { id: 31337, tokens: [chain.token, chain.otherToken], confirmations: CONFIRMATIONS }
  const rpcOf = (...urls: string[]) => openRpc({ chainId: watched.id, urls }, api)
  const sourceOf = (...urls: string[]) => openSource(rpcOf(...(urls.length ? urls : [chain.url])), watched.tokens)
  const read = async (source = sourceOf()) => {
    for (let steps = 0; steps < 200; steps++) if ((await readNext(sql, watched, source)) === 'idle') break
    await finalizeNext(sql, watched, source)
  }
  await chain.mine(10)
  await read()

  const find = async (id: string): Promise<Actor<Refund>> => {
    const [of] = await sql<{ merchantId: string; livemode: boolean }[]>`
      select merchant_id as "merchantId", livemode from refunds where id = ${id}`
    const refund = of && (await findRefund(sql, { id, ...of }))
    if (!refund) throw new Error('the refund does not exist')
    return refund
  }
  const [sender = ''] = await chain.rpc<string[]>('eth_accounts')
  return {
    ...{ chain, merchantId, read, sourceOf, find },
    chainOf: (...urls: string[]): RefundChain => ({
      ...{ id: watched.id, pollMs: 20, transactions: openTransactions(rpcOf(...(urls.length ? urls : [chain.url]))) },
    }),
    /** Makes everything so far final, and reads it. */
    finalizeAll: async () => {
      await chain.mine(CONFIRMATIONS)
      await read()
    },
    /** Sends a transaction without mining it. */
    send: (transaction: object): Promise<string> =>
      chain.rpc('eth_sendTransaction', { from: sender, gas: '0x100000', ...transaction }),
    /** Creates a refund of a payment of its own, without other refunds. */
    createRefund: async ({
      native = false,
      destination = customer as string | null,
      of = whose,
    } = {}): Promise<Actor<Refund>> => {
      const pick = native ? { asset: 'ETH', tokenAddress: null, pegged: false } : { tokenAddress: chain.token }
      const { actor } = await openPayment(api, of, { pick })
      for (const event of [seen('enough_seen', 1000n), final('finalized', 1000n)])
        await happen(api, actor, native ? { ...event, asset: 'ETH' } : event)
      const payment = await findPayment(sql, { id: actor, ...of })
      if (!payment) throw new Error('the payment does not exist')
      const request = { amountMinor: undefined, reason: null, destination, metadata: {} }
      return startRefund(api, payment, request, { cause: 'test', responseRows: () => [] })
    },
    apply: async ({ id }: Actor<Refund>, event: { type: string } & Record<string, unknown>) => {
      const outcome = await api.actors.dispatch({ kind: 'refund', actor: id, event })
      if (!outcome.ok) throw new Error(`the refund is ${outcome.actor?.state} and refuses ${event.type}`)
    },
    summaryOf: async ({ id }: { readonly id: string }) => {
      const { state, context } = await find(id)
      const { failureReason, txHash, confirmations } = context
      const events = await sql<{ type: string }[]>`select type from events where actor = ${id} order by rev`
      const [reservation] = await sql`
        select refunds_reserved_minor::int as reserved, amount_refunded_minor::int as refunded
        from payments where id = ${context.paymentId}`
      return { state, failureReason, txHash, confirmations, events: events.map(({ type }) => type), ...reservation }
    },
    [Symbol.asyncDispose]: () => chain[Symbol.asyncDispose](),
  }
}

/** One fixture for all tests of a file. The audit runs at the end. */
export const openRefundFixtureOfFile = async () => {
  const server = await apiServer({ routes: [] })
  const fixture = await openRefundFixture(server)
  afterAll(async () => {
    expect(await audit(server.sql, kinds)).toEqual([])
    await fixture[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  return { server, fixture }
}

export type RefundFixture = Awaited<ReturnType<typeof openRefundFixture>>

/** Checks all processing refunds now, as a process does that has just started. */
export const decide = async ({ api, sql }: ApiServer, chain: RefundChain): Promise<number> => {
  await sql`update refund_looks set next_look_at = now()`
  return decideRefunds(api, chain, new AbortController().signal)
}

/** The same, by a process that ends while it commits a verdict. */
export const endWhileDeciding = async ({ api, sql }: ApiServer, chain: RefundChain, when: 'before' | 'after') => {
  const { actors } = api
  const ending: typeof actors = {
    ...actors,
    dispatchBundle: async commands => {
      if (when === 'after') await actors.dispatchBundle(commands)
      throw new Error('the process has ended')
    },
  }
  await sql`update refund_looks set next_look_at = now()`
  const ended = decideRefunds({ ...api, actors: ending }, chain, new AbortController().signal)
  await expect(ended).rejects.toThrow('has ended')
}

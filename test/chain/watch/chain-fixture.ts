import { openRpc } from '../../../src/chain/rpc/open.ts'
import { compareSeenTransfers } from '../../../src/chain/watch/compare-seen-transfers.ts'
import { deepenPayments } from '../../../src/chain/watch/depth.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { findRecipients } from '../../../src/chain/watch/recipients.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import type { ChainSource, WatchedChain } from '../../../src/chain/watch/watched-chain.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { endOf } from './fixture-end.ts'
import { issueAddress } from './ledger.ts'
import { type AnswerChange, changedNode, testChain } from './test-node.ts'

export const CONFIRMATIONS = 8

/** A real chain with two tokens, a server that reads it step by step, and payments of 1,000 of the first token. */
export const openChainFixture = async () => {
  const server = await apiServer({ routes: [] })
  const chain = await testChain()
  const { sql, api } = server
  const merchantId = await insertMerchant(sql)
  const watched: WatchedChain = {
    id: 31337,
    tokens: [chain.token, chain.otherToken],
    confirmations: CONFIRMATIONS,
  }
  /** A source as of a process that has just started. */
  const sourceOf = (...urls: string[]): ChainSource =>
    openSource(openRpc({ chainId: watched.id, urls }, api), watched.tokens, { recipients: () => findRecipients(sql) })
  const settle = async () => {
    while ((await settlePayments(api)) > 0);
  }
  const source = sourceOf(chain.url)
  /** Reads until there is no new block. Returns the number of steps; `afterStep` runs after each. */
  const read = async (from = source, afterStep: () => Promise<unknown> = async () => {}): Promise<number> => {
    let steps = 0
    for (; steps < 200 && (await readNext(sql, watched, from)) !== 'idle'; steps++) await afterStep()
    await finalizeNext(sql, watched, from)
    await compareSeenTransfers(sql, watched.id, from)
    do await settle()
    while ((await deepenPayments(sql, watched, from)) > 0)
    return steps
  }
  await chain.mine(20)
  await read()
  return {
    ...{ sql, api, merchantId, databaseUrl: server.databaseUrl, chain, watched, source, sourceOf, settle, read },
    /** A payment in the first token, unless given otherwise. */
    openPayment: async (more = {}): Promise<MadePayment> => {
      const payment = await makePayment(api, { merchantId, livemode: false }, '')
      const pick = { address: payment.address, tokenAddress: chain.token, ...more }
      await happen(api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
      await issueAddress(sql, payment)
      return payment
    },
    /** Reads from a node that changes answers of the chain, and other nodes. */
    readThrough: async (change: AnswerChange, others: readonly string[] = []) => {
      await using node = await changedNode(chain.url, change)
      await read(sourceOf(...others, node.url))
    },
    /** Uses two nodes, of which the one that changes answers is asked first; and that node alone. */
    withTwoNodes: async (
      change: AnswerChange,
      work: (source: ChainSource, alone: ChainSource) => Promise<unknown>,
      other = chain.url,
    ) => {
      await using changed = await changedNode(chain.url, change)
      // The faster node is asked first.
      await using slower = await changedNode(other, async (_, answer) => {
        await Bun.sleep(20)
        return answer
      })
      const two = sourceOf(changed.url, slower.url)
      await two.head()
      await Bun.sleep(300)
      await two.head()
      await work(two, sourceOf(changed.url))
    },
    stateOf: async ({ actor }: MadePayment) => {
      const payment = await findPayment(sql, { id: actor, merchantId, livemode: false })
      return payment && { ...payment.context, state: payment.state }
    },
    ...endOf({ chain, server, confirmations: CONFIRMATIONS, read }),
  }
}

export type ChainFixture = Awaited<ReturnType<typeof openChainFixture>>

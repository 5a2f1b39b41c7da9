import { audit } from '../../../src/audit/audit.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { agreeOnTransfers } from '../../../src/chain/watch/agree-on-transfers.ts'
import { deepenPayments } from '../../../src/chain/watch/depth.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { findRecipients } from '../../../src/chain/watch/recipients.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import type { ChainSource, WatchedChain } from '../../../src/chain/watch/watched-chain.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { giveOut } from './ledger.ts'
import { type Change, testChain, through } from './node.ts'

export const CONFIRMATIONS = 8

/** A real chain of two tokens, a house that reads it step by step, and payments of 1,000 of the first. */
export const chainHouse = async () => {
  const house = await apiServer({ routes: [] })
  const chain = await testChain()
  const { sql, api } = house
  const merchantId = await insertMerchant(sql)
  const watched: WatchedChain = {
    id: 31337,
    tokens: [chain.token, chain.otherToken],
    confirmations: CONFIRMATIONS,
  }
  /** A process's own, which has asked nobody anything yet. */
  const sourceOf = (...urls: string[]): ChainSource =>
    openSource(openRpc({ chainId: watched.id, urls }, api), watched.tokens, { recipients: () => findRecipients(sql) })
  const settle = async () => {
    while ((await settlePayments(api)) > 0);
  }
  const source = sourceOf(chain.url)
  /** Until nothing is new. Answers in how many steps, after each of which something may be looked at. */
  const read = async (from = source, afterStep: () => Promise<unknown> = async () => {}): Promise<number> => {
    let steps = 0
    for (; steps < 200 && (await readNext(sql, watched, from)) !== 'idle'; steps++) await afterStep()
    await finalizeNext(sql, watched, from)
    await agreeOnTransfers(sql, watched.id, from)
    do await settle()
    while ((await deepenPayments(sql, watched, from)) > 0)
    return steps
  }
  await chain.mine(20)
  await read()
  return {
    ...{ sql, api, merchantId, databaseUrl: house.databaseUrl, chain, watched, source, sourceOf, settle, read },
    /** Of the first token, unless something else is picked. */
    opened: async (more = {}): Promise<MadePayment> => {
      const payment = await makePayment(api, { merchantId, livemode: false }, '')
      const pick = { address: payment.address, tokenAddress: chain.token, ...more }
      await happen(api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
      await giveOut(sql, payment)
      return payment
    },
    /** By a node that changes some of what the chain answers, beside others. */
    readThrough: async (change: Change, others: readonly string[] = []) => {
      await using node = await through(chain.url, change)
      await read(sourceOf(...others, node.url))
    },
    /** By two nodes, of which the one that gives changed answers is asked first; and by that node alone. */
    besideAnother: async (
      change: Change,
      work: (source: ChainSource, alone: ChainSource) => Promise<unknown>,
      other = chain.url,
    ) => {
      await using liar = await through(chain.url, change)
      // Slower than the other, which is asked first for that reason.
      await using slower = await through(other, async (_, answer) => {
        await Bun.sleep(20)
        return answer
      })
      const two = sourceOf(liar.url, slower.url)
      await two.head()
      await Bun.sleep(300)
      await two.head()
      await work(two, sourceOf(liar.url))
    },
    stateOf: async ({ actor }: MadePayment) => {
      const payment = await findPayment(sql, { id: actor, merchantId, livemode: false })
      return payment && { ...payment.context, state: payment.state }
    },
    head: async () => Number(await chain.rpc<string>('eth_blockNumber')),
    /** For after each test: leaves a chain on which nothing of it can change any more. */
    rest: async () => {
      await chain.mine(CONFIRMATIONS)
      await read()
    },
    audit: () => audit(sql, kinds),
    [Symbol.asyncDispose]: async () => {
      await chain[Symbol.asyncDispose]()
      await house[Symbol.asyncDispose]()
    },
  }
}

export type ChainHouse = Awaited<ReturnType<typeof chainHouse>>

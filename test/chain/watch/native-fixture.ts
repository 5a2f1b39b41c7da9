import { openRpc } from '../../../src/chain/rpc/open.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { checkNativeBalances } from '../../../src/chain/watch/native/check-balances.ts'
import { openBalanceChecker } from '../../../src/chain/watch/native/watch-balances.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import type { ChainSource } from '../../../src/chain/watch/watched-chain.ts'
import { endWindows } from '../../../src/chain/watch/windows.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { apiServer } from '../../harness/api.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { endOf } from './fixture-end.ts'
import { issueAddress } from './ledger.ts'
import { type AnswerChange, changedNode, testChain } from './test-node.ts'

export const CONFIRMATIONS = 6

const word = (address: string): string => address.slice(2).padStart(64, '0')

/** Forwards its value to the address in the call data. */
const PAYER = '5f5f5f5f345f355af100'

/** A call with data sends the balance to the treasury; a call without data keeps the value. */
export const collector = (treasury: string): string => `0x36156022575f5f5f5f4773${treasury.slice(2)}5af1005b00`

/** A real chain, a server that reads it step by step, and payments of 1,000 wei. */
export const openNativeFixture = async () => {
  const server = await apiServer({ routes: [] })
  const chain = await testChain()
  const { sql, api } = server
  const merchantId = await insertMerchant(sql)
  const watched = { id: 31337, tokens: [chain.token], confirmations: CONFIRMATIONS }
  const sourceOf = (...urls: string[]): ChainSource =>
    openSource(openRpc({ chainId: watched.id, urls }, api), watched.tokens)
  const source = sourceOf(chain.url)
  const [sender = ''] = await chain.rpc<string[]>('eth_accounts')
  const deploy = async (runtime: string): Promise<string> => {
    const data = `0x60${(runtime.length / 2).toString(16).padStart(2, '0')}8060095f395ff3${runtime}`
    const hash = await chain.rpc<string>('eth_sendTransaction', { from: sender, data, gas: '0x100000' })
    await chain.mine()
    return (await chain.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)).contractAddress
  }
  const payer = await deploy(PAYER)
  await chain.mine(10)

  const settle = async () => {
    while ((await settlePayments(api)) > 0);
  }
  /** Reads all blocks and applies the transfers to payments. */
  const read = async (from = source) => {
    for (let steps = 0; steps < 200; steps++) if ((await readNext(sql, watched, from)) === 'idle') break
    await finalizeNext(sql, watched, from)
    await settle()
  }
  await read()
  const payment = (to: string, wei: bigint) => ({ from: sender, to, value: `0x${wei.toString(16)}` })
  const createPayment = () => makePayment(api, { merchantId, livemode: false }, '')
  /** The price of the native currency is valid as long as the window, unless given otherwise. */
  const pickAsset = async (payment: MadePayment, asset: 'pick' | 'pick ether', holdsForMs = 30 * 60_000) => {
    const quoteExpiresAt = new Date(Date.now() + holdsForMs)
    const token = asset === 'pick' ? { tokenAddress: chain.token } : { quoteExpiresAt }
    await happen(api, payment.actor, {
      type: 'asset_picked',
      ...payments.events[asset],
      address: payment.address,
      ...token,
    })
    await issueAddress(sql, payment)
    return payment
  }
  const check = async (of: readonly MadePayment[], from = source, recordAll = true) => {
    const addresses = of.map(({ address }) => address.toLowerCase())
    const counted = await checkNativeBalances(sql, watched.id, from.native, addresses, { recordAll })
    await settle()
    return counted
  }
  return {
    ...{
      server,
      sql,
      api,
      chain,
      watched,
      source,
      sourceOf,
      read,
      settle,
      check,
      sender,
      deploy,
      createPayment,
      pickAsset,
    },
    /** A payment in native currency, unless it is of the token. */
    openPayment: async (asset: 'pick' | 'pick ether' = 'pick ether') => pickAsset(await createPayment(), asset),
    payment,
    send: (to: string, wei: bigint) => chain.rpc<string>('eth_sendTransaction', payment(to, wei)),
    /** An internal transfer by a contract: no transaction of the block names the address. */
    internalTransfer: (to: string, wei: bigint) => ({ ...payment(payer, wei), data: `0x${word(to)}`, gas: '0x30000' }),
    sendInternally: (to: string, wei: bigint) =>
      chain.rpc<string>('eth_sendTransaction', { ...payment(payer, wei), data: `0x${word(to)}`, gas: '0x30000' }),
    /** A worker's balance checker, which checks due addresses, and all others once. */
    balanceChecker: (from = source, now = api.clock.now) => {
      const intervals = { everyMs: 60_000, walkEveryMs: 0, walkAllEveryMs: 0 }
      return openBalanceChecker({ sql, clock: { ...api.clock, now } }, { id: watched.id, source: from }, intervals)
    },
    endWindows: () => endWindows(api, watched.id, { aheadMs: 86_400_000 }),
    /** Uses a node that changes answers of the chain, and other nodes. */
    withNode: async (
      change: AnswerChange,
      work: (source: ChainSource) => Promise<unknown>,
      others: readonly string[] = [],
    ) => {
      await using node = await changedNode(chain.url, change)
      await work(sourceOf(...others, node.url))
    },
    stateOf: async ({ actor }: MadePayment) => {
      const found = await findPayment(sql, { id: actor, merchantId, livemode: false })
      return found && { ...found.context, state: found.state }
    },
    transfersOf: ({ actor }: MadePayment) => sql<
      {
        tx_hash: string
        log_index: number
        block_number: string
        from_address: string | null
        amount: string
        state: string
      }[]
    >`
      select tx_hash, log_index, block_number, from_address, amount, state from transfers
      where payment_id = ${actor} order by block_number, log_index, tx_hash`,
    ...endOf({ chain, server, confirmations: CONFIRMATIONS, read }),
  }
}

export type NativeFixture = Awaited<ReturnType<typeof openNativeFixture>>

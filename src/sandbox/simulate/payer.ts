import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import type { Hex } from 'viem'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { toQuantity } from '../../chain/rpc/hex.ts'
import { refuse } from '../../errors.ts'
import { lazy } from '../../lazy.ts'
import { payer, sandboxContracts } from '../contracts.ts'
import { callNode, NodeError } from '../node-client.ts'

/** `token` null: native currency. */
export type TestTransfer = { readonly token: Hex | null; readonly to: Hex; readonly amount: bigint }

/** More than any of these transactions needs, also to an address that was collected from. */
const GAS = toQuantity(150_000)
const A_COIN = 10n ** 18n
/** Constant, and far above the base fee of a development chain. */
const FEES = { maxFeePerGas: toQuantity(1_000n * 10n ** 9n), maxPriorityFeePerGas: toQuantity(10n ** 9n) }

/**
 * Sends a payment from the test payer, whose key every development node has, and returns its hash. Test dollars are
 * minted first, so that the payment is an ordinary transfer. The node chooses the nonces.
 */
export const payFromWallet = async (url: string, { token, to, amount }: TestTransfer): Promise<string> => {
  if (token === null) {
    await fund(url, amount)
    return send(url, { to, value: toQuantity(amount) })
  }
  await send(url, { to: token, data: call('mint', payer, amount) })
  return send(url, { to: token, data: call('transfer', to, amount) })
}

/** Mints test dollars. Returns the hash. */
export const mint = (url: string, { token, to, amount }: { token: Hex; to: Hex; amount: bigint }): Promise<string> =>
  send(url, { to: token, data: call('mint', to, amount) })

/** Sets a balance in native currency. If the node does not support that, the payer sends one unit. */
export const setBalance = async (url: string, address: Hex, amount: bigint): Promise<void> => {
  try {
    await callNode(url, 'anvil_setBalance', address, toQuantity(amount))
  } catch (error) {
    if (!(error instanceof NodeError) || error.code === undefined) throw error
    await awaitMined(url, [await send(url, { to: address, value: toQuantity(A_COIN) })])
  }
}

/** Sends a transaction that reverts: more dollars than exist, or native currency to a contract that rejects it. */
export const sendReverting = async (url: string, { token, to, amount }: TestTransfer): Promise<string> => {
  if (token !== null) return send(url, { to: token, data: call('transfer', to, 2n ** 256n - 1n) })
  await fund(url, amount)
  return send(url, { to: sandboxContracts.token, value: toQuantity(amount) })
}

/** Waits until all transactions are mined. Returns the highest block number. */
export const awaitMined = async (url: string, hashes: readonly string[], timeoutMs = 15_000): Promise<number> => {
  const until = performance.now() + timeoutMs
  for (;;) {
    const receipts = await Promise.all(hashes.map(hash => callNode(url, 'eth_getTransactionReceipt', hash)))
    const numbers = receipts.flatMap(receipt => (isReceipt().allows(receipt) ? [Number(receipt.blockNumber)] : []))
    if (numbers.length === hashes.length) return Math.max(...numbers)
    if (performance.now() > until)
      refuse('chain_unavailable', {
        message: 'The sandbox chain has not mined the transactions in time. Their hashes are in details.',
        details: { transactions: hashes },
      })
    await sleep(50)
  }
}

const isReceipt = lazy(() => type({ blockNumber: '/^0x[0-9a-f]+$/' }))

/** Retries: two senders can get the same nonce, the node refuses the second, and the retry gets the next nonce. */
const send = async (url: string, transaction: Readonly<Record<string, unknown>>): Promise<string> => {
  for (let tries = 1; ; tries++) {
    try {
      const hash = await callNode(url, 'eth_sendTransaction', { from: payer, gas: GAS, ...FEES, ...transaction })
      return typeof hash === 'string' ? hash.toLowerCase() : refuse('chain_unavailable')
    } catch (error) {
      if (!(error instanceof NodeError) || error.code === undefined || tries === 5) throw error
      await sleep(50)
    }
  }
}

/** Tops up the payer for a large amount. If the node does not support that, the payer's balance has to suffice. */
const fund = async (url: string, amount: bigint): Promise<void> => {
  const balance = BigInt(String(await callNode(url, 'eth_getBalance', payer, 'pending')))
  if (balance >= amount + A_COIN) return
  await callNode(url, 'anvil_setBalance', payer, toQuantity(balance + amount + 1_000n * A_COIN)).catch(() => undefined)
}

const call = (functionName: 'mint' | 'transfer', to: Hex, amount: bigint): Hex =>
  encodeFunctionData({ abi: dollar, functionName, args: [to, amount] })

const dollar = parseAbi(['function mint(address,uint256)', 'function transfer(address,uint256)'])

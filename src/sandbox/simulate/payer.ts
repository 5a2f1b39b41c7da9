import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import type { Hex } from 'viem'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { toQuantity } from '../../chain/rpc/hex.ts'
import { refuse } from '../../errors.ts'
import { lazy } from '../../lazy.ts'
import { ask, NodeTrouble } from '../ask.ts'
import { payer, sandboxContracts } from '../contracts.ts'

/** Null: the chain's own coin. */
export type Sum = { readonly token: Hex | null; readonly to: Hex; readonly amount: bigint }

/** More than any of these needs, also at an address that has been collected from. */
const GAS = toQuantity(150_000)
const A_COIN = 10n ** 18n
/** Always the same: see `send`. Far above the base fee of a development chain. */
const FEES = { maxFeePerGas: toQuantity(1_000n * 10n ** 9n), maxPriorityFeePerGas: toQuantity(10n ** 9n) }

/**
 * Sends from the account that pays in tests, which every development node has the key of; the hash. Dollars are made
 * first, and only for this: whoever watches sees a real transfer. Nonces are the node's affair.
 */
export const payFromWallet = async (url: string, { token, to, amount }: Sum): Promise<string> => {
  if (token === null) {
    await fund(url, amount)
    return send(url, { to, value: toQuantity(amount) })
  }
  await send(url, { to: token, data: call('mint', payer, amount) })
  return send(url, { to: token, data: call('transfer', to, amount) })
}

/** Dollars out of nothing; the hash. */
export const mint = (url: string, { token, to, amount }: { token: Hex; to: Hex; amount: bigint }): Promise<string> =>
  send(url, { to: token, data: call('mint', to, amount) })

/** As many coins as that, whatever there was; where a node makes none, the payer sends them. */
export const setBalance = async (url: string, address: Hex, amount: bigint): Promise<void> => {
  try {
    await ask(url, 'anvil_setBalance', address, toQuantity(amount))
  } catch (error) {
    if (!(error instanceof NodeTrouble) || error.code === undefined) throw error
    await mined(url, [await send(url, { to: address, value: toQuantity(A_COIN) })])
  }
}

/** As a wallet sends what cannot work: more dollars than there are, or coins to a contract that takes none. */
export const revert = async (url: string, { token, to, amount }: Sum): Promise<string> => {
  if (token !== null) return send(url, { to: token, data: call('transfer', to, 2n ** 256n - 1n) })
  await fund(url, amount)
  return send(url, { to: sandboxContracts.token, value: toQuantity(amount) })
}

/** Waits until all of them are in blocks; the number of the highest. */
export const mined = async (url: string, hashes: readonly string[], timeoutMs = 15_000): Promise<number> => {
  const until = performance.now() + timeoutMs
  for (;;) {
    const receipts = await Promise.all(hashes.map(hash => ask(url, 'eth_getTransactionReceipt', hash)))
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

/** Two senders can be given one nonce; the node refuses the second, and has the next one for it then. */
const send = async (url: string, transaction: Readonly<Record<string, unknown>>): Promise<string> => {
  for (let tries = 1; ; tries++) {
    try {
      const hash = await ask(url, 'eth_sendTransaction', { from: payer, gas: GAS, ...FEES, ...transaction })
      return typeof hash === 'string' ? hash.toLowerCase() : refuse('chain_unavailable')
    } catch (error) {
      if (!(error instanceof NodeTrouble) || error.code === undefined || tries === 5) throw error
      await sleep(50)
    }
  }
}

/** Coins are not made by paying: a large sum is more than the account has. A node that refuses leaves it to that. */
const fund = async (url: string, amount: bigint): Promise<void> => {
  const balance = BigInt(String(await ask(url, 'eth_getBalance', payer, 'pending')))
  if (balance >= amount + A_COIN) return
  await ask(url, 'anvil_setBalance', payer, toQuantity(balance + amount + 1_000n * A_COIN)).catch(() => undefined)
}

const call = (functionName: 'mint' | 'transfer', to: Hex, amount: bigint): Hex =>
  encodeFunctionData({ abi: dollar, functionName, args: [to, amount] })

const dollar = parseAbi(['function mint(address,uint256)', 'function transfer(address,uint256)'])

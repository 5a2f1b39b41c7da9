import type { Payment } from '../../machines/payment-events.ts'
import type { CryptoFacts, Transfer } from '../records/payment.ts'

/**
 * What a payment's own row tells of the chain, as long as nobody watches one: the sum that was received
 * stands for the transfers it is made of, in the block that completed it, and the head is the first
 * that explains the row. Null until the customer has picked an asset.
 */
export const cryptoFactsOf = (payment: Payment): CryptoFacts | null => {
  const { chainId } = payment
  if (chainId === null) return null
  const transfer = sumOf(payment)
  const isFinal = transfer?.state === 'final'
  const confirmations = isFinal ? (payment.confirmationsRequired ?? 1) : 1
  return {
    network: networks.get(chainId) ?? `Chain ${chainId}`,
    head: transfer ? transfer.blockNumber + confirmations - 1 : 0,
    paymentUri: paymentUri(payment, chainId),
    explorerUrl: null,
    transfers: transfer ? [transfer] : [],
  }
}

const networks: ReadonlyMap<number, string> = new Map([[31337, 'Sandbox']])

const sumOf = (payment: Payment): Transfer | undefined => {
  const { txHash, blockNumber, payerAddress, amountReceived, amountFinal } = payment
  if (blockNumber === null || amountReceived === 0n) return undefined
  const state = amountFinal === amountReceived ? 'final' : 'seen'
  return { txHash, logIndex: null, blockNumber, from: payerAddress, amount: amountReceived, state }
}

/** EIP-681. Whoever has sent too little is asked for the rest. */
const paymentUri = (payment: Payment, chainId: number): string => {
  const { address, tokenAddress, amountReceived } = payment
  const expected = payment.amountExpected ?? 0n
  const amount = amountReceived < expected ? expected - amountReceived : expected
  return tokenAddress === null
    ? `ethereum:${address}@${chainId}?value=${amount}`
    : `ethereum:${tokenAddress}@${chainId}/transfer?address=${address}&uint256=${amount}`
}

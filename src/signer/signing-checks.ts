import type { SigningFacts, WaitReason } from '../queries/signing.ts'

/** The nonces and balances of a signer on the chain. */
export type SignerWallet = {
  /** Nonces below this one are mined. */
  readonly minedTo: number
  /** The same including pending transactions, from the node with the highest count. */
  readonly pendingTo: number
  /** The balance in native currency. */
  readonly native: bigint
  /** The balance of the refund's token; 0 for a refund in native currency. */
  readonly tokens: bigint
}

export type RefundToSign = {
  readonly amountMinor: number
  readonly tokenAddress: string | null
  readonly amount: bigint
}

/** Returns why the refund must not be signed now, if so. The wallet must have been read before the facts. */
export const checkSigningAllowed = (
  refund: RefundToSign,
  wallet: SignerWallet,
  facts: SigningFacts,
): WaitReason | undefined => {
  if (facts.isOnHold) return 'on_hold'
  const { limits, signedMinor } = facts
  if (refund.amountMinor > (limits?.perRefundMinor ?? 0)) return 'over_refund_limit'
  if (signedMinor + refund.amountMinor > (limits?.perDayMinor ?? 0)) return 'over_day_limit'
  // The facts were read later and can only have grown, so the chain is really ahead of them.
  return Math.max(wallet.minedTo, wallet.pendingTo) > facts.nextNonce ? 'nonce_ahead' : undefined
}

/** Returns why the balance does not suffice for all open transactions and this one, if so. */
export const checkBalance = (
  { tokenAddress, amount }: RefundToSign,
  wallet: SignerWallet,
  facts: SigningFacts,
  gasCost: bigint,
): WaitReason | undefined => {
  if (tokenAddress !== null && wallet.tokens < facts.owedTokens + amount) return 'no_funds'
  const value = tokenAddress === null ? amount : 0n
  if (wallet.native >= facts.owedNative + value + gasCost) return undefined
  return tokenAddress === null ? 'no_funds' : 'no_gas'
}

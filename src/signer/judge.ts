import type { SigningBooks, WaitReason } from '../queries/signing.ts'

/** What a chain says of a signer. */
export type Wallet = {
  /** Numbers below this one are in blocks. */
  readonly minedTo: number
  /** With what waits to be mined, by the node that has seen the most. */
  readonly pendingTo: number
  readonly coins: bigint
  /** Of the refund's token; 0 where it is of coins. */
  readonly tokens: bigint
}

export type RefundToSign = {
  readonly amountMinor: number
  readonly tokenAddress: string | null
  readonly amount: bigint
}

/** Whether the next number is there to be signed for. The wallet must have been read before the books were. */
export const judgeBooks = (asked: RefundToSign, wallet: Wallet, books: SigningBooks): WaitReason | undefined => {
  if (books.isOnHold) return 'on_hold'
  const { limits, signedMinor } = books
  if (asked.amountMinor > (limits?.perRefundMinor ?? 0)) return 'over_refund_limit'
  if (signedMinor + asked.amountMinor > (limits?.perDayMinor ?? 0)) return 'over_day_limit'
  // What is read later can only have grown, so the chain is really ahead.
  return Math.max(wallet.minedTo, wallet.pendingTo) > books.nextNonce ? 'nonce_ahead' : undefined
}

/** Whether all that was signed for can be paid, and this too. */
export const judgeWallet = (
  { tokenAddress, amount }: RefundToSign,
  wallet: Wallet,
  books: SigningBooks,
  gasCost: bigint,
): WaitReason | undefined => {
  if (tokenAddress !== null && wallet.tokens < books.owedTokens + amount) return 'no_coins'
  const value = tokenAddress === null ? amount : 0n
  if (wallet.coins >= books.owedCoins + value + gasCost) return undefined
  return tokenAddress === null ? 'no_coins' : 'no_gas'
}

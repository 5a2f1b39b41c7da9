import type { Hex } from 'viem'
import { concat, numberToHex, pad } from 'viem/utils'
import { requireAddress } from '../address.ts'

export type RefundToSend = {
  readonly id: string
  /** Null: the chain's own coin. */
  readonly tokenAddress: string | null
  readonly destination: string
  readonly amount: bigint
}

/** What somebody signs. */
export type UnsignedTransfer = { readonly to: Hex; readonly data: Hex; readonly value: bigint }

/**
 * The transaction that pays a refund. A token's carries the refund's id behind what the token reads of it, so
 * that two refunds of the same amount to the same address are told apart on the chain. Coins go without: data
 * makes wallets ask, and a destination that is a contract may refuse it.
 */
export const refundTransfer = ({ id, tokenAddress, destination, amount }: RefundToSend): UnsignedTransfer => {
  if (tokenAddress === null) return { to: requireAddress(destination), data: '0x', value: amount }
  const to = pad(requireAddress(destination))
  const data = concat([TRANSFER, to, numberToHex(amount, { size: 32 }), bytesOf(id)])
  return { to: requireAddress(tokenAddress), data, value: 0n }
}

/**
 * The id that a transfer's data may carry, behind the call or, where coins are sent to somebody, as all of it: whoever
 * asks has to look whether a refund is called so.
 */
export const refundNamedIn = (input: string): string | undefined => {
  const isCall = input.startsWith(TRANSFER) && input.length === LENGTH
  if (!isCall && input.length !== ID_LENGTH) return undefined
  return input.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** `transfer(address,uint256)` */
const TRANSFER = '0xa9059cbb'

/** The function, two words and an id, in digits. */
const LENGTH = 2 + 2 * (4 + 32 + 32 + 16)
const ID_LENGTH = 2 + 2 * 16

const bytesOf = (id: string): Hex => {
  const digits = id.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new TypeError('cannot write an id behind a transfer: it is no UUID')
  return `0x${digits}`
}

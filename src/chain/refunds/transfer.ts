import type { Hex } from 'viem'
import { concat, numberToHex, pad } from 'viem/utils'
import { requireAddress } from '../address.ts'

export type RefundToSend = {
  readonly id: string
  /** Null: native currency. */
  readonly tokenAddress: string | null
  readonly destination: string
  readonly amount: bigint
}

/** A transaction to be signed. */
export type UnsignedTransfer = { readonly to: Hex; readonly data: Hex; readonly value: bigint }

/**
 * The transaction that pays a refund. A token transfer carries the refund id after its call data, which the token
 * ignores, so that two refunds of the same amount to the same address can be distinguished. A transfer of native
 * currency carries no id: wallets ask for confirmation of data, and a destination that is a contract may refuse it.
 */
export const refundTransfer = ({ id, tokenAddress, destination, amount }: RefundToSend): UnsignedTransfer => {
  if (tokenAddress === null) return { to: requireAddress(destination), data: '0x', value: amount }
  const to = pad(requireAddress(destination))
  const data = concat([TRANSFER, to, numberToHex(amount, { size: 32 }), bytesOf(id)])
  return { to: requireAddress(tokenAddress), data, value: 0n }
}

/**
 * The refund id that call data may carry: after the call of a token transfer, or as the whole data of a native
 * transfer. The caller must check whether such a refund exists.
 */
export const refundNamedIn = (input: string): string | undefined => {
  const isCall = input.startsWith(TRANSFER) && input.length === LENGTH
  if (!isCall && input.length !== ID_LENGTH) return undefined
  return input.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** `transfer(address,uint256)` */
const TRANSFER = '0xa9059cbb'

/** Length of `0x`, selector, two words and an id, in characters. */
const LENGTH = 2 + 2 * (4 + 32 + 32 + 16)
const ID_LENGTH = 2 + 2 * 16

const bytesOf = (id: string): Hex => {
  const digits = id.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/.test(digits))
    throw new TypeError('Cannot encode a refund transfer as the refund id must be a UUID')
  return `0x${digits}`
}

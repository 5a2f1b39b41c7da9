import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { keccak256, toHex } from 'viem/utils'

/**
 * Where a merchant without a receiving address is paid in the sandbox. The key follows from the merchant's id,
 * so anybody can have it: on a chain where money is worth nothing, whoever signs up can take a test payment at once.
 */
export const sandboxTreasuryKey = (merchantId: string): Hex =>
  keccak256(toHex(`paymachine sandbox treasury ${merchantId}`))

export const sandboxTreasury = (merchantId: string): Hex => lower(privateKeyToAddress(sandboxTreasuryKey(merchantId)))

const lower = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`

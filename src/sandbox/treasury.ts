import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { keccak256, toHex } from 'viem/utils'

/**
 * The key of the treasury of a merchant without a receiving address in the sandbox, so that new merchants can accept
 * test payments immediately. It is derived from the merchant's id and not secret, since the sandbox has no real money.
 */
export const sandboxTreasuryKey = (merchantId: string): Hex =>
  keccak256(toHex(`paymachine sandbox treasury ${merchantId}`))

export const sandboxTreasury = (merchantId: string): Hex => lower(privateKeyToAddress(sandboxTreasuryKey(merchantId)))

const lower = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`

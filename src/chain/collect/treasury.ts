import type { Hex } from 'viem'
import { keccak256 } from 'viem/utils'
import { type Ask, getHex } from '../rpc/ask.ts'

/**
 * The hash of the code at a treasury, and null where it is controlled by a key. On another chain, a contract's address
 * may be unused or belong to another person, and any account may collect there. So money is collected only where the
 * code equals that on the chain of the payment.
 */
export const readTreasuryCode = async (ask: Ask, treasury: Hex): Promise<Hex | null> => {
  const code = await getHex(ask, 'eth_getCode', [treasury, 'latest'])
  return code === '0x' || isDelegation(code) ? null : keccak256(code)
}

/** EIP-7702: a key has delegated its address to this code, on this chain. The key still controls the address. */
const isDelegation = (code: Hex): boolean => code.length === 48 && code.startsWith('0xef0100')

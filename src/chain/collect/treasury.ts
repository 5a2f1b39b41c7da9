import type { Hex } from 'viem'
import { keccak256 } from 'viem/utils'
import { type Ask, getHex } from '../rpc/ask.ts'

/**
 * What stands at a treasury: null where a key decides, else the hash of its code. A contract's address may
 * belong to nobody on another chain, or to somebody else, and whoever pleases may collect there: collect
 * only where this is what it was on the chain the payment was for.
 */
export const readTreasuryCode = async (ask: Ask, treasury: Hex): Promise<Hex | null> => {
  const code = await getHex(ask, 'eth_getCode', [treasury, 'latest'])
  return code === '0x' || isDelegation(code) ? null : keccak256(code)
}

/** EIP-7702: what the key of an address lent it to, on this chain; the key still decides. */
const isDelegation = (code: Hex): boolean => code.length === 48 && code.startsWith('0xef0100')

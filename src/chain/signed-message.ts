import type { Hex } from 'viem'
// `viem/utils` alone: importing all of viem slows the start down.
import { recoverMessageAddress } from 'viem/utils'
import { type Address, parseAddress } from './address.ts'

/**
 * The address whose key signed a message by EIP-191, as wallets sign texts. Undefined where the signature is not valid.
 */
export const signerOf = async (message: string, signature: string): Promise<Address | undefined> => {
  if (!isSignature(signature)) return undefined
  try {
    return parseAddress(await recoverMessageAddress({ message, signature }))
  } catch {
    // The numbers are not on the curve.
    return undefined
  }
}

const isSignature = (text: string): text is Hex => /^0x[0-9a-f]{130}$/.test(text)

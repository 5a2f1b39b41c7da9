import type { Hex } from 'viem'
// Of all that viem has this is the part that a start loads.
import { recoverMessageAddress } from 'viem/utils'
import { type Address, parseAddress } from './address.ts'

/** Whose key has signed these words as EIP-191 has wallets sign texts; undefined for what is no such signature. */
export const signerOf = async (message: string, signature: string): Promise<Address | undefined> => {
  if (!isSignature(signature)) return undefined
  try {
    return parseAddress(await recoverMessageAddress({ message, signature }))
  } catch {
    // Numbers that lie on no curve.
    return undefined
  }
}

const isSignature = (text: string): text is Hex => /^0x[0-9a-f]{130}$/.test(text)

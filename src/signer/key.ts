import type { Hex, PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { isHex } from 'viem/utils'
import type { Keyring } from '../keyring.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { sandboxTreasuryKey } from '../sandbox/treasury.ts'
import { SIGNER_PURPOSE } from '../sealed-columns.ts'

/** Undefined where neither secret key opens it, or it is erased. */
export const accountOf = (keyring: Keyring, signer: Signer): PrivateKeyAccount | undefined => {
  const key = keyOf(keyring, signer)
  return key && privateKeyToAccount(key)
}

/** What somebody has typed: 64 digits, with or without what announces them. */
export const readPrivateKey = (text: string): { readonly key: Hex; readonly address: Hex } | undefined => {
  const key: Hex = `0x${text.trim().replace(/^0x/, '')}`
  try {
    return { key, address: privateKeyToAccount(key).address }
  } catch {
    // The error quotes the key.
    return undefined
  }
}

const keyOf = (keyring: Keyring, { id, merchant_id, epoch, sealed_key }: Signer): Hex | undefined => {
  if (epoch !== null) return sandboxTreasuryKey(merchant_id)
  if (sealed_key === null) return undefined
  try {
    const key = keyring.open(SIGNER_PURPOSE, id, sealed_key)
    return isHex(key) ? key : undefined
  } catch {
    return undefined
  }
}

import type { Hex, PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { isHex } from 'viem/utils'
import type { Keyring } from '../keyring.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { sandboxTreasuryKey } from '../sandbox/treasury.ts'
import { SIGNER_PURPOSE } from '../sealed-columns.ts'

/** Returns undefined if neither secret key decrypts the signer's key, or it was erased. */
export const accountOf = (keyring: Keyring, signer: Signer): PrivateKeyAccount | undefined => {
  const key = keyOf(keyring, signer)
  return key && privateKeyToAccount(key)
}

/** Parses a private key that an operator has entered: 64 hexadecimal digits, with or without `0x`. */
export const readPrivateKey = (text: string): { readonly key: Hex; readonly address: Hex } | undefined => {
  const key: Hex = `0x${text.trim().replace(/^0x/, '')}`
  try {
    return { key, address: privateKeyToAccount(key).address }
  } catch {
    // The error message would contain the key.
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

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Everything the secret key is good for. No two purposes share a key, so that what one gives away is
 * of no use to another; and what is sealed opens for its own purpose and record only, so that nobody
 * who can write to the database moves one account's secret to another.
 */
export type Keyring = {
  /** `v1.<key id>.<nonce, text and tag>`: AES-256-GCM under the current key. */
  seal(purpose: string, recordId: string, text: string): string
  /** Throws when it was sealed for something else, under another key, or has been touched. */
  open(purpose: string, recordId: string, sealed: string): string
  /** For signatures: the key to sign with, and all whose signatures are good, the current one first. */
  signing(purpose: string): { readonly current: SigningKey; readonly all: readonly SigningKey[] }
  /** Of the current key. It tells one key from another and nothing about either. */
  readonly id: string
  /** Of all keys. */
  readonly ids: readonly string[]
}

export type SigningKey = { readonly id: string; readonly key: Uint8Array }

/** With a previous key, both open and verify; only the current one seals and signs. */
export const openKeyring = (secretKey: string, previous?: string): Keyring => {
  const current = generation(secretKey)
  const all = previous === undefined || previous === secretKey ? [current] : [current, generation(previous)]

  return {
    id: current.id,
    ids: all.map(({ id }) => id),
    seal: (purpose, recordId, text) => `v1.${current.id}.${encrypt(current.sealing(purpose), purpose, recordId, text)}`,
    open: (purpose, recordId, sealed) => {
      const [version, id, box, ...rest] = sealed.split('.')
      if (version !== 'v1' || box === undefined || rest.length > 0)
        throw new Error(`cannot open the ${purpose} of ${recordId}: it is not sealed`)
      const one = all.find(each => each.id === id)
      if (!one)
        throw new Error(
          `cannot open the ${purpose} of ${recordId}: it is sealed under a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS`,
        )
      return decrypt(one.sealing(purpose), purpose, recordId, box)
    },
    signing: purpose => {
      const keys = all.map(({ id, signing }) => ({ id, key: signing(purpose) }))
      return { current: { id: current.id, key: current.signing(purpose) }, all: keys }
    },
  }
}

type Generation = {
  readonly id: string
  sealing(purpose: string): Uint8Array
  signing(purpose: string): Uint8Array
}

/** One secret key and what is derived from it. Deriving takes longer than sealing, so it is done once. */
const generation = (secretKey: string): Generation => {
  const derived = new Map<string, Uint8Array>()
  const derive = (what: string): Uint8Array => {
    const known = derived.get(what)
    if (known) return known
    const key = new Uint8Array(hkdfSync('sha256', secretKey, 'paymachine', what, 32))
    derived.set(what, key)
    return key
  }
  return {
    id: Buffer.from(derive('id').subarray(0, 6)).toString('base64url'),
    sealing: purpose => derive(`seal ${purpose}`),
    signing: purpose => derive(`sign ${purpose}`),
  }
}

const nonceBytes = 12
const tagBytes = 16

const encrypt = (key: Uint8Array, purpose: string, recordId: string, text: string): string => {
  // Not the world's randomness, which a simulation may replay: a nonce used twice gives both texts away.
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(bound(purpose, recordId))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

const decrypt = (key: Uint8Array, purpose: string, recordId: string, box: string): string => {
  const bytes = Buffer.from(box, 'base64url')
  const nonce = bytes.subarray(0, nonceBytes)
  const text = bytes.subarray(nonceBytes, -tagBytes)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      .setAAD(bound(purpose, recordId))
      .setAuthTag(bytes.subarray(-tagBytes))
    return decipher.update(text, undefined, 'utf8') + decipher.final('utf8')
  } catch (cause) {
    throw new Error(`cannot open the ${purpose} of ${recordId}: it was sealed for something else or has been changed`, {
      cause,
    })
  }
}

const bound = (purpose: string, recordId: string) => Buffer.from(`${purpose}\0${recordId}`)

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Encrypts and signs with keys derived from the secret key. Each purpose has its own key, so that a leaked one does not
 * affect the others. An encrypted text can be decrypted only for its purpose and record: write access to the database
 * is not enough to move the secret of one account to another.
 */
export type Keyring = {
  /** `v1.<key id>.<nonce, text and tag>`: AES-256-GCM under the current key. */
  seal(purpose: string, recordId: string, text: string): string
  /** Throws if it was sealed for another purpose or record, with another key, or was changed. */
  open(purpose: string, recordId: string, sealed: string): string
  /** The key to sign with, and all keys whose signatures are accepted, the current one first. */
  signing(purpose: string): { readonly current: SigningKey; readonly all: readonly SigningKey[] }
  /** The id of the current key. It reveals nothing about the key. */
  readonly id: string
  /** The ids of all keys. */
  readonly ids: readonly string[]
}

export type SigningKey = { readonly id: string; readonly key: Uint8Array }

/** With a previous key, both decrypt and verify. Only the current one encrypts and signs. */
export const openKeyring = (secretKey: string, previous?: string): Keyring => {
  const current = deriveGeneration(secretKey)
  const all = previous === undefined || previous === secretKey ? [current] : [current, deriveGeneration(previous)]

  return {
    id: current.id,
    ids: all.map(({ id }) => id),
    seal: (purpose, recordId, text) => `v1.${current.id}.${encrypt(current.sealing(purpose), purpose, recordId, text)}`,
    open: (purpose, recordId, sealed) => {
      const [version, id, box, ...rest] = sealed.split('.')
      if (version !== 'v1' || box === undefined || rest.length > 0)
        throw new Error(`cannot decrypt the ${purpose} of ${recordId}: it is not encrypted`)
      const generation = all.find(each => each.id === id)
      if (!generation)
        throw new Error(
          `cannot decrypt the ${purpose} of ${recordId}: its key is neither SECRET_KEY nor SECRET_KEY_PREVIOUS`,
        )
      return decrypt(generation.sealing(purpose), purpose, recordId, box)
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

/** One secret key and the keys derived from it. They are cached, because deriving takes longer than encrypting. */
const deriveGeneration = (secretKey: string): Generation => {
  const cache = new Map<string, Uint8Array>()
  const derive = (info: string): Uint8Array => {
    const cached = cache.get(info)
    if (cached) return cached
    const key = new Uint8Array(hkdfSync('sha256', secretKey, 'paymachine', info, 32))
    cache.set(info, key)
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
  // Not `Dependencies.random`, which a simulation may replay: a nonce that is used twice reveals both texts.
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
    throw new Error(
      `cannot decrypt the ${purpose} of ${recordId}: it was encrypted for another purpose or record, or was changed`,
      { cause },
    )
  }
}

const bound = (purpose: string, recordId: string) => Buffer.from(`${purpose}\0${recordId}`)

import type { Keyring } from '../keyring.ts'
import type { Sql } from '../postgres/connect.ts'
import { type Claimed, findSendingEndpoints, type SendingEndpoint } from '../queries/sending.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../sealed-columns.ts'

/** The URL and the decrypted signing secrets of an endpoint. */
export type DecryptedEndpoint = {
  readonly version: string
  readonly url: string
  readonly isInbox: boolean
  /** The newest first. Two while a secret is being replaced. */
  secrets(at: Date): readonly string[]
}

const MAX_CACHED = 10_000

/** Caches endpoints, because decrypting a secret takes longer than signing a request. */
export const openEndpointCache = (sql: Sql, keyring: Keyring) => {
  const cache = new Map<string, DecryptedEndpoint>()

  /** Returns undefined if the endpoint is not cached, or was changed before the delivery was claimed. */
  const find = ({ endpointId, endpointVersion }: EndpointRef): DecryptedEndpoint | undefined => {
    const endpoint = cache.get(endpointId)
    return endpoint?.version === endpointVersion ? endpoint : undefined
  }

  /** Reads and caches endpoints. Returns them by id, or an Error for those whose secret cannot be decrypted. */
  const read = async (ids: readonly string[]): Promise<Map<string, DecryptedEndpoint | Error>> => {
    const endpoints = new Map<string, DecryptedEndpoint | Error>()
    for (const row of await findSendingEndpoints(sql, ids)) {
      const endpoint = decryptEndpoint(keyring, row)
      endpoints.set(row.id, endpoint)
      cache.delete(row.id)
      if (!(endpoint instanceof Error)) cache.set(row.id, endpoint)
    }
    for (const id of cache.keys()) {
      if (cache.size <= MAX_CACHED) break
      cache.delete(id)
    }
    return endpoints
  }

  return { find, read }
}

type EndpointRef = Pick<Claimed, 'endpointId' | 'endpointVersion'>

const decryptEndpoint = (keyring: Keyring, row: SendingEndpoint): DecryptedEndpoint | Error => {
  const { version, url, isInbox } = row
  try {
    return { version, url, isInbox, secrets: decryptSecrets(keyring, row) }
  } catch (error) {
    return error instanceof Error ? error : new Error('cannot decrypt a secret')
  }
}

/** Throws if the current secret cannot be decrypted. */
export const decryptSecrets = (
  keyring: Keyring,
  { id, sealedSecret, previousSealedSecret, previousUntil }: SealedSecrets,
): DecryptedEndpoint['secrets'] => {
  const open = (sealed: string) => keyring.open(WEBHOOK_SECRET_PURPOSE, id, sealed)
  const current = [open(sealedSecret)]
  let both: readonly string[] | undefined
  return at => {
    if (previousSealedSecret === null || previousUntil === null || previousUntil <= at) return current
    both ??= withPrevious(current, () => open(previousSealedSecret))
    return both
  }
}

type SealedSecrets = Pick<SendingEndpoint, 'id' | 'sealedSecret' | 'previousSealedSecret' | 'previousUntil'>

/** The previous secret is decrypted only while it is in use. If it cannot be decrypted, only the current one signs. */
const withPrevious = (current: readonly string[], open: () => string): readonly string[] => {
  try {
    return [...current, open()]
  } catch {
    return current
  }
}

import type { Keyring } from '../keyring.ts'
import type { Sql } from '../postgres/connect.ts'
import { type Claimed, findSendingEndpoints, type SendingEndpoint } from '../queries/sending.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../sealed-columns.ts'

/** Where to send, and what to sign with. */
export type OpenEndpoint = {
  readonly version: string
  readonly url: string
  /** The newest first: of one that is being replaced, both. */
  secrets(at: Date): readonly string[]
}

/** Endpoints in memory; a secret takes longer to open than a request to be signed. */
const MOST_KNOWN = 10_000

/** Endpoints as their rows were when something of them was claimed, or later. */
export const openEndpointBook = (sql: Sql, keyring: Keyring) => {
  const known = new Map<string, OpenEndpoint>()

  /** Undefined when somebody has changed it since it was read. */
  const find = ({ endpointId, endpointVersion }: Which): OpenEndpoint | undefined => {
    const endpoint = known.get(endpointId)
    return endpoint?.version === endpointVersion ? endpoint : undefined
  }

  /** By id; without those whose secret cannot be opened, and why. */
  const read = async (ids: readonly string[]): Promise<Map<string, OpenEndpoint | Error>> => {
    const read = new Map<string, OpenEndpoint | Error>()
    for (const row of await findSendingEndpoints(sql, ids)) {
      const endpoint = opened(keyring, row)
      read.set(row.id, endpoint)
      known.delete(row.id)
      if (!(endpoint instanceof Error)) known.set(row.id, endpoint)
    }
    for (const id of known.keys()) {
      if (known.size <= MOST_KNOWN) break
      known.delete(id)
    }
    return read
  }

  return { find, read }
}

type Which = Pick<Claimed, 'endpointId' | 'endpointVersion'>

const opened = (keyring: Keyring, row: SendingEndpoint): OpenEndpoint | Error => {
  const { id, version, url, sealedSecret, previousSealedSecret, previousUntil } = row
  const open = (sealed: string) => keyring.open(WEBHOOK_SECRET_PURPOSE, id, sealed)
  try {
    const current = [open(sealedSecret)]
    let both: readonly string[] | undefined
    return {
      version,
      url,
      secrets: at => {
        if (previousSealedSecret === null || previousUntil === null || previousUntil <= at) return current
        both ??= withPrevious(current, () => open(previousSealedSecret))
        return both
      },
    }
  } catch (error) {
    return error instanceof Error ? error : new Error('a secret cannot be opened')
  }
}

/** The one before is opened only while it still signs, and if it cannot be, the newer signs alone. */
const withPrevious = (current: readonly string[], open: () => string): readonly string[] => {
  try {
    return [...current, open()]
  } catch {
    return current
  }
}

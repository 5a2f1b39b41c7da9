import type { SessionCaller } from '../access/session-cache.ts'
import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { decodeId, encodeId } from '../ids.ts'
import { findCauseNames, type TransitionRow } from '../queries/history.ts'
import type { Cause } from '../records/transition.ts'

type CauseContext = { readonly chains: Chains }

/**
 * The cause of the changes that a request makes: who sent it, its ID as in the log, and for operators the reason.
 * `key_… 0b5c7c0e-…`, `operator:usr_… 0b5c7c0e-…:reason`. Other causes have only the first part, such as `chain:8453`.
 */
export const causeOfRequest = (sender: string, requestId: string, reason?: string): string =>
  [`${sender} ${requestId}`, ...(reason === undefined ? [] : [reason])].join(':')

type MemberCall = { readonly session: SessionCaller; readonly requestId: string }

export const causeOfMember = ({ session, requestId }: MemberCall): string =>
  causeOfRequest(encodeId('usr', session.accountId), requestId)

/** Customers have no ID. */
export const causeOfCustomer = ({ requestId }: { readonly requestId: string }): string =>
  causeOfRequest('customer', requestId)

const FORM = /^(\S+) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::(.*))?$/s

const partsOf = (cause: string | null) => {
  const [, sender = cause, requestId = null, reason = null] = FORM.exec(cause ?? '') ?? []
  return { sender, requestId, reason }
}

/** The request that made the change. Null for others. */
export const requestIdOf = (cause: string | null): string | null => partsOf(cause).requestId

/** Why an operator sent the event; null for other causes. */
export const reasonOf = (cause: string | null): string | null => partsOf(cause).reason

/** The causes of transitions, with the names of API keys and the e-mail addresses of members. */
export const findCauses = async (
  api: CauseContext & Pick<Services, 'sql'>,
  rows: readonly TransitionRow[],
): Promise<(row: TransitionRow) => Cause> => {
  const uuids = (prefix: 'key' | 'usr') => [
    ...new Set(rows.flatMap(({ cause }) => decodeId(prefix, partsOf(cause).sender ?? '') ?? [])),
  ]
  const names = await findCauseNames(api.sql, { keys: uuids('key'), accounts: uuids('usr') })
  return ({ cause }) => causeOf(api, cause, names)
}

const causeOf = ({ chains }: CauseContext, cause: string | null, names: ReadonlyMap<string, string>): Cause => {
  const { sender } = partsOf(cause)
  if (sender === null) return system
  const named = (type: 'api_key' | 'member', uuid: string): Cause => ({
    type,
    id: sender,
    name: names.get(uuid) ?? null,
  })
  const [key, account] = [decodeId('key', sender), decodeId('usr', sender)]
  if (key !== undefined) return named('api_key', key)
  if (account !== undefined) return named('member', account)
  const [from, of = ''] = sender.split(':')
  switch (from) {
    case 'customer':
      return { type: 'customer', id: null, name: null }
    case 'timer':
    case 'window':
      return { type: 'timer', id: null, name: null }
    case 'chain':
      return { type: 'chain', id: of, name: chains.find(Number(of))?.chain.network ?? null }
    case 'operator':
      return { type: 'operator', id: null, name: null }
    case 'signer':
      return { ...system, id: of }
    default:
      return system
  }
}

const system: Cause = { type: 'system', id: null, name: null }

/** Without the names of API keys and the e-mail addresses of members. An operator is shown by the ID of the account. */
export const causeWithoutNames = (api: CauseContext, cause: string | null): Cause => {
  const [from, id = null] = partsOf(cause).sender?.split(':') ?? []
  return from === 'operator' ? { type: 'operator', id, name: null } : causeOf(api, cause, NO_NAMES)
}

const NO_NAMES: ReadonlyMap<string, string> = new Map()

import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { decodeId } from '../ids.ts'
import { findCauseNames, type TransitionRow } from '../queries/history.ts'
import type { Cause } from '../records/transition.ts'

type CauseContext = { readonly chains: Chains }

/** The causes of transitions, with the names of API keys and the e-mail addresses of members. */
export const findCauses = async (
  api: CauseContext & Pick<Services, 'sql'>,
  rows: readonly TransitionRow[],
): Promise<(row: TransitionRow) => Cause> => {
  const uuids = (prefix: 'key' | 'usr') => [
    ...new Set(rows.flatMap(({ cause }) => (cause === null ? [] : (decodeId(prefix, cause) ?? [])))),
  ]
  const names = await findCauseNames(api.sql, { keys: uuids('key'), accounts: uuids('usr') })
  return ({ cause }) => causeOf(api, cause, names)
}

const causeOf = ({ chains }: CauseContext, cause: string | null, names: ReadonlyMap<string, string>): Cause => {
  if (cause === null) return system
  const named = (type: 'api_key' | 'member', uuid: string): Cause => ({
    type,
    id: cause,
    name: names.get(uuid) ?? null,
  })
  const [key, account] = [decodeId('key', cause), decodeId('usr', cause)]
  if (key !== undefined) return named('api_key', key)
  if (account !== undefined) return named('member', account)
  const [from, of = ''] = cause.split(':')
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
  const operator = cause?.startsWith('operator:') ? cause.split(':')[1] : undefined
  return operator === undefined ? causeOf(api, cause, NO_NAMES) : { type: 'operator', id: operator, name: null }
}

/** Why an operator sent the event; null for other causes. */
export const reasonOf = (cause: string | null): string | null => /^operator:[^:]*:(.*)$/s.exec(cause ?? '')?.[1] ?? null

const NO_NAMES: ReadonlyMap<string, string> = new Map()

import { openSession } from '../../src/commands/sessions.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId, uuidv7 } from '../../src/ids.ts'
import type { Role } from '../../src/queries/members.ts'

/** A signed-in account. Its password is not hashed, which would take long. */
export type Person = {
  readonly accountId: string
  readonly id: string
  readonly email: string
  readonly bearer: string
}

export type Shop = { readonly merchantId: string; readonly path: string; readonly owner: Person }

export const person = async (api: Api, email: string): Promise<Person> => {
  const accountId = uuidv7(new Date(), api.random)
  await api.sql`select create_account(${accountId}, ${email}, 'no hash')`
  const { accessToken } = await openSession(api, accountId, {
    address: '127.0.0.1',
    network: '127.0.0.1',
    userAgent: null,
  })
  return { accountId, id: encodeId('usr', accountId), email, bearer: accessToken }
}

let people = 0
/** An unused e-mail address. */
const newEmail = (role: Role) => `${role}.${++people}@example.com`

/** A merchant and its owner. */
export const shop = async (api: Api, name = 'Lamps'): Promise<Shop> => {
  const owner = await person(api, newEmail('owner'))
  const merchantId = uuidv7(new Date(), api.random)
  await api.sql`select create_merchant(${merchantId}, ${name}, ${owner.accountId})`
  return { merchantId, path: `/v1/merchants/${encodeId('mer', merchantId)}`, owner }
}

export const member = async (api: Api, { merchantId }: Shop, role: Role, email = newEmail(role)) => {
  const joined = await person(api, email)
  await api.sql`insert into members (merchant_id, account_id, role) values (${merchantId}, ${joined.accountId}, ${role})`
  return joined
}

/** A person who is an operator of the server, in a session that was opened with a second factor by default. */
export const operator = async (api: Api, { secondFactor = true } = {}): Promise<Person> => {
  const made = await person(api, `operator.${++people}@example.com`)
  await api.sql`
    update accounts set operator = true, mfa_secret = 'no secret', mfa_enabled_at = now() - interval '1 hour'
    where id = ${made.accountId}`
  if (secondFactor) await api.sql`update sessions set second_factor_at = now() where account_id = ${made.accountId}`
  return made
}

/** Makes the last proof of identity older than sensitive changes allow. */
export const forgetProof = async (api: Api, { accountId }: Person): Promise<void> => {
  await api.sql`update sessions set proven_at = now() - interval '301 seconds' where account_id = ${accountId}`
  api.sessions.forgetAccount(accountId)
}

import { refuse } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { encodeId } from '../ids.ts'
import { changeMember, findMember, type MemberRow, type Role } from '../queries/members.ts'
import type { Doer } from '../queries/security-events.ts'

export type Member = { readonly merchantId: string; readonly accountId: string }
type Books = Pick<Api, 'sql' | 'sessions'>

export const changeRole = async (api: Books, member: Member, role: Role, by: Doer): Promise<MemberRow> => {
  await change(api, member, role, by)
  return (await findMember(api.sql, member.merchantId, member.accountId)) ?? refuse('resource_not_found')
}

export const removeMember = (api: Books, member: Member, by: Doer): Promise<void> => change(api, member, null, by)

const change = async ({ sql, sessions }: Books, { merchantId, accountId }: Member, role: Role | null, by: Doer) => {
  const details = { memberId: encodeId('usr', accountId) }
  const outcome = await changeMember(sql, { merchantId, accountId, role, details }, by).finally(() => {
    // Of either, what this process remembers may be older. Also if the answer was lost: the change may have been made.
    sessions.forgetAccount(accountId)
    sessions.forgetAccount(by.accountId)
  })
  if (outcome === 'missing') refuse('resource_not_found')
  if (outcome === 'not_owner') refuse('insufficient_role')
  if (outcome === 'last_owner') refuse('state_conflict', { message: 'A merchant keeps at least one owner.' })
}

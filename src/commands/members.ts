import { refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import { changeMember, findMember, type MemberRow, type Role } from '../queries/members.ts'
import type { AccountActor } from '../queries/security-events.ts'
import type { AccountContext } from './account-context.ts'

export type MemberName = { readonly merchantId: string; readonly accountId: string }
type Context = Pick<AccountContext, 'sql' | 'sessions'>

export const changeRole = async (
  context: Context,
  member: MemberName,
  role: Role,
  by: AccountActor,
): Promise<MemberRow> => {
  await change(context, member, role, by)
  return (await findMember(context.sql, member.merchantId, member.accountId)) ?? refuse('resource_not_found')
}

export const removeMember = (context: Context, member: MemberName, by: AccountActor): Promise<void> =>
  change(context, member, null, by)

const change = async (
  { sql, sessions }: Context,
  { merchantId, accountId }: MemberName,
  role: Role | null,
  by: AccountActor,
) => {
  const details = { memberId: encodeId('usr', accountId) }
  const outcome = await changeMember(sql, { merchantId, accountId, role, details }, by).finally(() => {
    // The caches of this process may have older data. Also if the response was lost: the change may have been committed.
    sessions.forgetAccount(accountId)
    sessions.forgetAccount(by.accountId)
  })
  if (outcome === 'missing') refuse('resource_not_found')
  if (outcome === 'not_owner') refuse('insufficient_role')
  if (outcome === 'last_owner') refuse('state_conflict', { message: 'A merchant must have at least one owner.' })
}

import { type } from 'arktype'
import { changeRole, removeMember } from '../commands/members.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { findMemberSeq, listMembers } from '../queries/members.ts'
import { memberRecord } from '../records/member.ts'
import { accountActorOf } from './account-actor.ts'
import { changeRoleDocs, listMembersDocs, removeMemberDocs } from './docs/people.ts'
import { bothModesQuery, listOf, pageOf } from './list.ts'
import { forMembers, type Route } from './route.ts'

const path = '/v1/merchants/:merchantId/members'

export const roleName = () => type("'owner' | 'developer' | 'viewer'")
const accountOf = (id: string) => decodeId('usr', id)

export const memberRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path,
      docs: listMembersDocs,
      query: bothModesQuery,
      handle: async ({ sql }, { member: { merchantId }, query }) => {
        const page = await pageOf(query, accountOf, id => findMemberSeq(sql, merchantId, id))
        return { status: 200, body: listOf(await listMembers(sql, merchantId, page), query.limit, memberRecord.render) }
      },
    },
  ),

  forMembers(
    'PATCH',
    { role: 'owner', stepUp: true },
    {
      path: `${path}/:id`,
      docs: changeRoleDocs,
      body: () => type({ role: roleName() }),
      handle: async (api, call) => {
        const accountId = accountOf(call.params.id) ?? refuse('resource_not_found')
        const { merchantId } = call.member
        const member = await changeRole(api, { merchantId, accountId }, call.body.role, accountActorOf(call))
        return { status: 200, body: memberRecord.render(member) }
      },
    },
  ),

  forMembers(
    'DELETE',
    { role: 'owner', stepUp: true },
    {
      path: `${path}/:id`,
      docs: removeMemberDocs,
      handle: async (api, call) => {
        const accountId = accountOf(call.params.id) ?? refuse('resource_not_found')
        await removeMember(api, { merchantId: call.member.merchantId, accountId }, accountActorOf(call))
        return { status: 204 }
      },
    },
  ),
]

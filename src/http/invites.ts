import { type } from 'arktype'
import { email } from '../access/email.ts'
import { invite, revoke } from '../commands/invites.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { findInviteSeq, listInvites } from '../queries/invites.ts'
import { inviteRecord } from '../records/invite.ts'
import { pageOf } from './cursor.ts'
import { doerOf } from './doer.ts'
import { listOf, listQuery } from './list.ts'
import { roleName } from './members.ts'
import { forMembers, type Route } from './route.ts'

const path = '/v1/merchants/:merchantId/invites'

const inviteOf = (id: string) => decodeId('invite', id)

export const inviteRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'owner' },
    {
      path,
      // As every list of a merchant takes it; a member is one of both modes.
      query: listQuery.and({ 'livemode?': "'true' | 'false'" }),
      handle: async ({ sql }, { member: { merchantId }, query }) => {
        const page = await pageOf(query, inviteOf, id => findInviteSeq(sql, merchantId, id))
        return { status: 200, body: listOf(await listInvites(sql, merchantId, page), query.limit, inviteRecord) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'owner', stepUp: true },
    {
      path,
      body: type({ role: roleName, 'email?': email.or('null') }),
      handle: async (api, call) => {
        const { role, email: to = null } = call.body
        const made = await invite(api, { merchantId: call.member.merchantId, role, email: to }, doerOf(call))
        // Behind the #, so that it is in no log of a server on the way.
        const url = `${api.settings.publicUrl}/invite#${made.token}`
        return { status: 201, body: { ...inviteRecord(made.invite), url, token: made.token } }
      },
    },
  ),

  forMembers(
    'DELETE',
    { role: 'owner', stepUp: true },
    {
      path: `${path}/:id`,
      handle: async (api, call) => {
        const id = inviteOf(call.params.id) ?? refuse('resource_not_found')
        await revoke(api, { merchantId: call.member.merchantId, id }, doerOf(call))
        return { status: 204 }
      },
    },
  ),
]

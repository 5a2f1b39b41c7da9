import { type } from 'arktype'
import { email } from '../access/email.ts'
import { accept, acceptAsNew, invite, previewInvite, revoke } from '../commands/invites.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { findInviteSeq, listInvites } from '../queries/invites.ts'
import { invitePreviewRecord, inviteRecord, newInviteRecord } from '../records/invite.ts'
import { accountActorOf } from './account-actor.ts'
import { newPassword } from './auth.ts'
import {
  acceptInviteDocs,
  inviteMemberDocs,
  listInvitesDocs,
  previewInviteDocs,
  revokeInviteDocs,
} from './docs/people.ts'
import { fromOf } from './from.ts'
import { bothModesQuery, listOf, pageOf } from './list.ts'
import { roleName } from './members.ts'
import { forAnybody, forMembers, type Route } from './route.ts'
import { answerSignedIn, describeAccount } from './signed-in.ts'

const path = '/v1/merchants/:merchantId/invites'

const inviteOf = (id: string) => decodeId('invite', id)

const inviteToken = () => type('1 <= string <= 100')

export const inviteRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path,
      docs: listInvitesDocs,
      query: bothModesQuery,
      handle: async ({ sql }, { member: { merchantId }, query }) => {
        const page = await pageOf(query, inviteOf, id => findInviteSeq(sql, merchantId, id))
        return { status: 200, body: listOf(await listInvites(sql, merchantId, page), query.limit, inviteRecord.render) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'owner', stepUp: true },
    {
      path,
      docs: inviteMemberDocs,
      body: () => type({ role: roleName(), 'email?': email().or('null') }),
      handle: async (api, call) => {
        const { role, email: to = null } = call.body
        const made = await invite(api, { merchantId: call.member.merchantId, role, email: to }, accountActorOf(call))
        // In the fragment, so that no proxy can log it.
        const url = `${api.settings.publicUrl}/dashboard/invite#${made.token}`
        return { status: 201, body: newInviteRecord.render(made.invite, { url, token: made.token }) }
      },
    },
  ),

  forMembers(
    'DELETE',
    { role: 'owner', stepUp: true },
    {
      path: `${path}/:id`,
      docs: revokeInviteDocs,
      handle: async (api, call) => {
        const id = inviteOf(call.params.id) ?? refuse('resource_not_found')
        await revoke(api, { merchantId: call.member.merchantId, id }, accountActorOf(call))
        return { status: 204 }
      },
    },
  ),

  // By POST, so that the token is in no address, which proxies log.
  forAnybody('POST', {
    path: '/v1/auth/invites/preview',
    docs: previewInviteDocs,
    body: () => type({ token: inviteToken() }),
    handle: async (api, call) => ({
      status: 200,
      body: invitePreviewRecord.render(await previewInvite(api, call.body.token, fromOf(call))),
    }),
  }),

  // Available to anyone with the link: with a session it adds the merchant to the account, without one it creates an
  // account.
  forAnybody('POST', {
    path: '/v1/auth/invites/accept',
    docs: acceptInviteDocs,
    body: () => type({ token: inviteToken(), 'email?': email(), 'password?': newPassword() }),
    handle: async (api, call) => {
      const { token, email, password } = call.body
      const authorization = call.headers.get('authorization')
      if (authorization !== null) {
        if (email !== undefined || password !== undefined)
          return refuse('parameter_invalid', { param: email === undefined ? 'password' : 'email' })
        const { session } = (await api.sessions.find(bearerOf(authorization))) ?? refuse('invalid_token')
        const { accountId } = session
        await accept(api, token, accountActorOf({ session, address: call.address }))
        return { status: 200, body: await describeAccount(api, accountId) }
      }
      if (email === undefined) return refuse('parameter_missing', { param: 'email' })
      if (password === undefined) return refuse('parameter_missing', { param: 'password' })
      const { accountId, tokens } = await acceptAsNew(api, { token, email, password }, fromOf(call))
      return answerSignedIn(api, 201, accountId, tokens)
    },
  }),
]

const bearerOf = (authorization: string): string => /^Bearer (.+)$/i.exec(authorization)?.[1] ?? ''

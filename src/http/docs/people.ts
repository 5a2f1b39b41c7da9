import { listShape } from '../../fields/shape.ts'
import { invitePreviewRecord, inviteRecord, newInviteRecord } from '../../records/invite.ts'
import { memberRecord } from '../../records/member.ts'
import { securityEventRecord } from '../../records/security-event.ts'
import { accountShape, signedInShape } from '../../records/shapes/account.ts'
import type { Docs } from './docs.ts'

export const listMembersDocs: Docs = {
  operation: 'listMembers',
  summary: 'List members',
  description: 'Members belong to both modes.',
  answers: { 200: listShape(memberRecord) },
}

export const changeRoleDocs: Docs = {
  operation: 'changeRole',
  summary: 'Change the role of a member',
  description: 'A merchant must have at least one owner.',
  answers: { 200: memberRecord },
  refusals: ['state_conflict'],
  example: { role: 'viewer' },
}

export const removeMemberDocs: Docs = {
  operation: 'removeMember',
  summary: 'Remove a member',
  description: 'A merchant must have at least one owner.',
  answers: { 204: null },
  refusals: ['state_conflict'],
}

export const listInvitesDocs: Docs = {
  operation: 'listInvites',
  summary: 'List open invites',
  answers: { 200: listShape(inviteRecord) },
}

export const inviteMemberDocs: Docs = {
  operation: 'inviteMember',
  summary: 'Invite a member',
  description: 'The link is shown only in this response. Send it to the person yourself: the server sends no e-mail.',
  answers: { 201: newInviteRecord },
  fields: {
    email:
      'E-mail address of the invited person: only an account with this address can accept the invite. Null or missing: anyone with the link can.',
  },
  example: { role: 'developer', email: 'ben@lamps.shop' },
}

export const revokeInviteDocs: Docs = {
  operation: 'revokeInvite',
  summary: 'Revoke an invite',
  answers: { 204: null },
}

export const previewInviteDocs: Docs = {
  operation: 'previewInvite',
  summary: 'Preview an invite',
  description:
    'Returns what an invite is for, before it is accepted. An invite that was used or revoked, or has expired, returns `resource_not_found`.\n\nAt most 30 requests per minute are allowed for each IP address (IPv6: /64 network). Above that, returns 429.',
  answers: { 200: invitePreviewRecord },
  refusals: ['resource_not_found', 'rate_limited'],
  example: { token: 'h3mT…' },
}

export const acceptInviteDocs: Docs = {
  operation: 'acceptInvite',
  summary: 'Accept an invite',
  description:
    'With an access token, the account of the token becomes a member (200). Without one, an account with `email` and `password` is created and signed in, even if sign-up is closed (201).',
  answers: { 200: accountShape, 201: signedInShape },
  refusals: [
    'parameter_missing',
    'invalid_token',
    'resource_not_found',
    'email_taken',
    'state_conflict',
    'rate_limited',
  ],
  callers: ['nobody', 'session'],
  example: { token: 'h3mT…', email: 'ben@lamps.shop', password: 'another horse battery' },
}

export const listSecurityEventsDocs: Docs = {
  operation: 'listSecurityEvents',
  summary: 'List audit log entries',
  answers: { 200: listShape(securityEventRecord) },
}

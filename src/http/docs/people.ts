import {
  accountShape,
  inviteShape,
  memberShape,
  newInviteShape,
  securityEventShape,
  signedInShape,
} from '../../records/shapes/people.ts'
import { listShape } from '../../records/shapes/shape.ts'
import type { Docs } from '../openapi/docs.ts'

export const listMembers: Docs = {
  operation: 'listMembers',
  summary: 'List members',
  description: 'A member is one of both modes.',
  answers: { 200: listShape(memberShape) },
}

export const changeRole: Docs = {
  operation: 'changeRole',
  summary: 'Change the role of a member',
  description: 'A merchant keeps at least one owner.',
  answers: { 200: memberShape },
  refusals: ['state_conflict'],
  example: { role: 'viewer' },
}

export const removeMember: Docs = {
  operation: 'removeMember',
  summary: 'Remove a member',
  description: 'A merchant keeps at least one owner.',
  answers: { 204: null },
  refusals: ['state_conflict'],
}

export const listInvites: Docs = {
  operation: 'listInvites',
  summary: 'List invites that nobody has used',
  answers: { 200: listShape(inviteShape) },
}

export const inviteMember: Docs = {
  operation: 'inviteMember',
  summary: 'Invite somebody',
  description: 'The link is shown this once. The service sends no e-mail.',
  answers: { 201: newInviteShape },
  example: { role: 'developer', email: 'ben@lamps.shop' },
}

export const revokeInvite: Docs = {
  operation: 'revokeInvite',
  summary: 'Take an invite back',
  answers: { 204: null },
}

export const acceptInvite: Docs = {
  operation: 'acceptInvite',
  summary: 'Accept an invite',
  description:
    'With an access token the account of the caller becomes a member (200). Without one an account is made of `email` and `password`, also while sign-up is closed, and signed in (201).',
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

export const listSecurityEvents: Docs = {
  operation: 'listSecurityEvents',
  summary: 'Read the audit log',
  answers: { 200: listShape(securityEventShape) },
}

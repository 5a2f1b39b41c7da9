import { type } from 'arktype'
import { constantField, idField, rowFields } from '../fields/every-record.ts'
import { recordOf } from '../fields/record.ts'
import { text, textOrNull, time } from '../fields/wire.ts'
import type { InviteRow, OpenInvite } from '../queries/invites.ts'
import { role } from './role.ts'

export const inviteRecord = recordOf<InviteRow>()('Invite', {
  object: constantField('invite'),
  id: idField('invite', row => row.id),
  merchantId: rowFields.merchantId,
  role: { type: role, example: 'developer', of: row => row.role },
  email: {
    type: textOrNull,
    about: 'E-mail address of the invited person. Null if anyone with the link can accept it.',
    example: 'ben@lamps.shop',
    of: row => row.email,
  },
  status: {
    type: () => type("'pending' | 'expired'"),
    example: 'pending',
    of: row => (row.expired ? 'expired' : 'pending'),
  },
  createdBy: {
    ...idField('member', (row: InviteRow) => row.created_by),
    about: 'Account that created the invite.',
  },
  expiresAt: {
    type: time,
    about: 'Time at which the invite expires.',
    example: '2026-11-27T12:00:00.000Z',
    of: row => row.expires_at.toISOString(),
  },
  createdAt: rowFields.createdAt,
  updatedAt: rowFields.updatedAt,
})

/** What the holder of the link sees before accepting it. The e-mail address is not in it: the holder must know it. */
export const invitePreviewRecord = recordOf<OpenInvite>()('InvitePreview', {
  merchantName: {
    type: text,
    about: 'Name of the merchant.',
    example: 'Lamps',
    of: ({ merchantName }) => merchantName,
  },
  role: { type: role, example: 'developer', of: ({ role }) => role },
  hasEmail: {
    type: () => type('boolean'),
    about: 'Whether only an account with the e-mail address of the invite can accept it.',
    example: true,
    of: ({ hasEmail }) => hasEmail,
  },
  expiresAt: { ...inviteRecord.fields.expiresAt, of: ({ expiresAt }) => expiresAt.toISOString() },
})

/** In the response to its creation, which is the only one with the link. */
export const newInviteRecord = recordOf<InviteRow, { readonly url: string; readonly token: string }>()(
  'InviteWithToken',
  {
    ...inviteRecord.fields,
    url: {
      type: text,
      about: 'Link for the invited person. It is shown only in this response.',
      example: 'https://pay.lamps.shop/dashboard/invite#h3mT…',
      of: (_, { url }) => url,
    },
    token: {
      type: text,
      about: 'Token of the invite: the part of its link after the `#`.',
      example: 'h3mT…',
      of: (_, { token }) => token,
    },
  },
)

import { type } from 'arktype'
import { example, exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { idOf, time, uuid } from '../../fields/wire.ts'
import { lazy } from '../../lazy.ts'

const role = lazy(() => type("'owner' | 'developer' | 'viewer'"))

export const memberShape = shape({
  name: 'Member',
  type: () =>
    type({
      object: "'member'",
      id: idOf('usr'),
      merchantId: idOf('mer'),
      email: 'string',
      role: role(),
      mfaEnabled: 'boolean',
      createdAt: time(),
      updatedAt: time(),
    }),
  example: {
    object: 'member',
    id: exampleId('member'),
    merchantId: exampleId('merchant'),
    email: 'anna@lamps.shop',
    role: 'owner',
    mfaEnabled: true,
    createdAt: example.at,
    updatedAt: example.at,
  },
})

const inviteType = lazy(() =>
  type({
    object: "'invite'",
    id: idOf('invite'),
    merchantId: idOf('mer'),
    role: role(),
    email: 'string | null',
    status: "'pending' | 'expired'",
    createdBy: idOf('usr'),
    expiresAt: time(),
    createdAt: time(),
    updatedAt: time(),
  }),
)

const invite = {
  object: 'invite',
  id: exampleId('invite'),
  merchantId: exampleId('merchant'),
  role: 'developer',
  email: 'ben@lamps.shop',
  status: 'pending',
  createdBy: exampleId('member'),
  expiresAt: '2026-11-27T12:00:00.000Z',
  createdAt: example.at,
  updatedAt: example.at,
}

export const inviteShape = shape({ name: 'Invite', type: inviteType, example: invite })

/** In the response to its creation, which is the only one with the link. */
export const newInviteShape = shape({
  name: 'InviteWithToken',
  type: () => inviteType().merge({ url: 'string', token: 'string' }),
  example: { ...invite, url: 'https://pay.lamps.shop/invite#h3mT…', token: 'h3mT…' },
})

export const securityEventShape = shape({
  name: 'SecurityEvent',
  type: () =>
    type({
      object: "'security_event'",
      id: uuid(),
      merchantId: idOf('mer'),
      actor: 'string',
      email: 'string | null',
      address: 'string | null',
      action: 'string',
      details: type({ '[string]': 'unknown' }),
      createdAt: time(),
      updatedAt: time(),
    }),
  example: {
    object: 'security_event',
    id: exampleId('security_event'),
    merchantId: exampleId('merchant'),
    actor: exampleId('member'),
    email: 'anna@lamps.shop',
    address: '203.0.113.7',
    action: 'api_key.created',
    details: { keyId: exampleId('api_key') },
    createdAt: example.at,
    updatedAt: example.at,
  },
})

export const sessionShape = shape({
  name: 'Session',
  type: () =>
    type({
      object: "'session'",
      id: idOf('session'),
      current: 'boolean',
      address: 'string',
      userAgent: 'string | null',
      createdAt: time(),
      lastUsedAt: time(),
    }),
  example: {
    object: 'session',
    id: exampleId('session'),
    current: true,
    address: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
    createdAt: example.at,
    lastUsedAt: example.later,
  },
})

const accountType = lazy(() =>
  type({
    user: { id: idOf('usr'), email: 'string', mfaEnabled: 'boolean' },
    merchants: type({ id: idOf('mer'), name: 'string', role: role() }).array(),
  }),
)

const account = {
  user: { id: exampleId('member'), email: 'anna@lamps.shop', mfaEnabled: false },
  merchants: [{ id: exampleId('merchant'), name: 'Lamps', role: 'owner' }],
}

export const accountShape = shape({ name: 'Account', type: accountType, example: account })

const tokens = lazy(() => type({ accessToken: 'string', expiresIn: 'number.integer' }))

export const tokensShape = shape({
  name: 'AccessToken',
  type: tokens,
  example: { accessToken: 'eyJhbGciOiJIUzI1NiIs…', expiresIn: 900 },
})

/** The response to a sign-up, a sign-in and an accepted invite. */
export const signedInShape = shape({
  name: 'SignedIn',
  type: () => tokens().merge(accountType()),
  example: { accessToken: 'eyJhbGciOiJIUzI1NiIs…', expiresIn: 900, ...account },
})

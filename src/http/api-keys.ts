import { type } from 'arktype'
import { createApiKey, presets, revokeApiKey, rotateApiKey } from '../commands/api-keys.ts'
import { refuse } from '../errors.ts'
import { decodeId, encodeId } from '../ids.ts'
import { findApiKeySeq, type KeyName, listApiKeys } from '../queries/api-keys.ts'
import type { Doer } from '../queries/security-events.ts'
import { apiKeyRecord } from '../records/api-key.ts'
import { listOf, listQuery, livemodeQuery, readCursor } from './list.ts'
import { forMembers, type MemberCaller, type SessionCaller } from './route.ts'

const scope = type("'*' | 'payments:read' | 'payment_links:write' | 'refunds:write' | 'disputes:write'")

const newKey = type({
  name: '1 <= string <= 200',
  'livemode?': 'boolean',
  'access?': "'full' | 'store_plugin' | 'read_only'",
  'scopes?': scope.array().atLeastLength(1).atMostLength(5),
  'expiresAt?': 'string | null',
})

const rotation = type({ 'overlapHours?': '0 <= number.integer <= 72' })

export const apiKeyRoutes = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: '/v1/merchants/:merchantId/api-keys',
      query: listQuery.merge(livemodeQuery),
      handle: async ({ sql }, { member: { merchantId }, query: { limit, order, startingAfter, livemode } }) => {
        const cursor = readCursor(startingAfter, text => decodeId('key', text))
        const after = cursor && ((await findApiKeySeq(sql, { id: cursor, merchantId, livemode })) ?? noCursor())
        const rows = await listApiKeys(sql, { merchantId, livemode }, { after, limit, order })
        return { status: 200, body: listOf(rows, limit, row => apiKeyRecord(row)) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer', stepUp: true },
    {
      path: '/v1/merchants/:merchantId/api-keys',
      body: newKey,
      handle: async (api, call) => {
        const { name, livemode = false, expiresAt } = call.body
        const spec = { name, livemode, scopes: readScopes(call.body), expiresAt: readEnd(expiresAt, api.clock.now()) }
        const { row, secret } = await createApiKey(api, { ...spec, merchantId: call.member.merchantId }, doer(call))
        return { status: 201, body: apiKeyRecord(row, secret) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer', stepUp: true },
    {
      path: '/v1/merchants/:merchantId/api-keys/:id/rotate',
      body: rotation,
      handle: async (api, call) => {
        const { overlapHours = 0 } = call.body
        const { row, secret } = await rotateApiKey(api, { ...nameOf(call), overlapHours }, doer(call))
        return { status: 200, body: apiKeyRecord(row, secret) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'developer', stepUp: true },
    {
      path: '/v1/merchants/:merchantId/api-keys/:id/revoke',
      handle: async (api, call) => ({
        status: 200,
        body: apiKeyRecord(await revokeApiKey(api, nameOf(call), doer(call))),
      }),
    },
  ),
]

type MemberCall = { readonly session: SessionCaller; readonly member: MemberCaller; readonly address: string }

const doer = ({ session: { accountId }, address }: MemberCall): Doer => ({
  accountId,
  actor: encodeId('usr', accountId),
  address,
})

const nameOf = ({ params, member }: MemberCall & { readonly params: { readonly id: string } }): KeyName => ({
  id: decodeId('key', params.id) ?? refuse('resource_not_found'),
  merchantId: member.merchantId,
})

/** A preset or the scopes themselves, one of the two. */
const readScopes = ({ access, scopes }: typeof newKey.infer) => {
  if (access && scopes) return refuse('parameter_invalid', { param: 'scopes', message: 'Send access or scopes.' })
  if (access) return presets[access]
  return scopes ? [...new Set(scopes)] : refuse('parameter_missing', { param: 'access' })
}

/** A moment to come, written as times are everywhere, and not so far off that it was meant as never. */
const readEnd = (expiresAt: string | null | undefined, now: Date): Date | null => {
  if (expiresAt === null || expiresAt === undefined) return null
  const end = new Date(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(expiresAt) ? expiresAt : Number.NaN)
  return end > now ? end : refuse('parameter_invalid', { param: 'expiresAt' })
}

const noCursor = () => refuse('invalid_cursor', { param: 'startingAfter' })

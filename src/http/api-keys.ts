import { type } from 'arktype'
import { createApiKey, presets, revokeApiKey, rotateApiKey } from '../commands/api-keys.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { findApiKeySeq, type KeyName, listApiKeys } from '../queries/api-keys.ts'
import { apiKeyRecord, newApiKeyRecord } from '../records/api-key.ts'
import { scopes } from '../resources.ts'
import { accountActorOf } from './account-actor.ts'
import { createApiKeyDocs, listApiKeysDocs, revokeApiKeyDocs, rotateApiKeyDocs } from './docs/merchant.ts'
import { listOf, listQuery, livemodeQuery, pageOf } from './list.ts'
import { moment } from './moment.ts'
import { forMembers, type MemberCaller, type Parsed, type Route } from './route.ts'
import { givenName } from './text.ts'

const path = '/v1/merchants/:merchantId/api-keys'

const scope = () => type.enumerated('*', ...scopes)

const newKey = () =>
  type({
    name: givenName(),
    'livemode?': 'boolean',
    'access?': "'full' | 'store_plugin' | 'read_only'",
    'scopes?': scope().array().atLeastLength(1).atMostLength(8),
    'expiresAt?': moment().or('null'),
  })

const rotation = () => type({ 'overlapHours?': '0 <= number.integer <= 72' })

const changes = { role: 'developer', stepUp: true } as const

export const apiKeyRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path,
      docs: listApiKeysDocs,
      query: () => listQuery().merge(livemodeQuery()),
      handle: async ({ sql }, { member: { merchantId }, query }) => {
        const { livemode, limit } = query
        const page = await pageOf(query, keyOf, id => findApiKeySeq(sql, { id, merchantId, livemode }))
        const rows = await listApiKeys(sql, { merchantId, livemode }, page)
        return { status: 200, body: listOf(rows, limit, apiKeyRecord.render) }
      },
    },
  ),

  forMembers('POST', changes, {
    path,
    docs: createApiKeyDocs,
    query: livemodeQuery,
    body: newKey,
    handle: async (api, call) => {
      const { merchantId } = call.member
      const { name, livemode = call.query.livemode } = call.body
      const scopes = readScopes(call.body)
      const expiresAt = readEnd(call.body.expiresAt, api.clock.now())
      const spec = { merchantId, livemode, name, scopes, expiresAt }
      const { row, secret } = await createApiKey(api, spec, accountActorOf(call))
      return { status: 201, body: newApiKeyRecord.render(row, { secret }) }
    },
  }),

  forMembers('POST', changes, {
    path: `${path}/:id/rotate`,
    docs: rotateApiKeyDocs,
    body: rotation,
    handle: async (api, call) => {
      const { overlapHours = 0 } = call.body
      const { row, secret } = await rotateApiKey(api, { ...nameOf(call), overlapHours }, accountActorOf(call))
      return { status: 200, body: newApiKeyRecord.render(row, { secret }) }
    },
  }),

  forMembers('POST', changes, {
    path: `${path}/:id/revoke`,
    docs: revokeApiKeyDocs,
    handle: async (api, call) => {
      const row = await revokeApiKey(api, nameOf(call), accountActorOf(call))
      return { status: 200, body: apiKeyRecord.render(row) }
    },
  }),
]

const keyOf = (id: string) => decodeId('key', id)

type ItemCall = { readonly params: { readonly id: string }; readonly member: MemberCaller }

const nameOf = ({ params, member }: ItemCall): KeyName => ({
  id: keyOf(params.id) ?? refuse('resource_not_found'),
  merchantId: member.merchantId,
})

/** Either a preset or a list of scopes. */
const readScopes = ({ access, scopes }: Parsed<typeof newKey>) => {
  if (access && scopes)
    return refuse('parameter_invalid', { param: 'scopes', message: 'Send either access or scopes, not both.' })
  if (access) return presets[access]
  return scopes ? [...new Set(scopes)] : refuse('parameter_missing', { param: 'access' })
}

/** A future time. */
const readEnd = (expiresAt: string | null | undefined, now: Date): Date | null => {
  if (expiresAt === null || expiresAt === undefined) return null
  const end = new Date(expiresAt)
  return end > now ? end : refuse('parameter_invalid', { param: 'expiresAt' })
}

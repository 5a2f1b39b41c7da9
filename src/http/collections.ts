import { type } from 'arktype'
import { parseAddress, requireAddress } from '../chain/address.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { nextCollection } from '../collect/collection.ts'
import { assetsOf } from '../collect/waiting.ts'
import { refuse } from '../errors.ts'
import { collectionRecord } from '../records/collection.ts'
import { chainIdField } from './asset.ts'
import { createCollectionDocs } from './docs/collections.ts'
import { livemodeQuery } from './list.ts'
import { forMembers, type Route } from './route.ts'

const wantedCollection = () =>
  type({
    chainId: chainIdField(),
    'asset?': 'string <= 20 | null',
    'treasury?': type('string').pipe((text, ctx) => parseAddress(text) ?? ctx.error('an address')),
  })

export const collectionRoutes: readonly Route[] = [
  forMembers(
    'POST',
    { role: 'developer' },
    {
      path: '/v1/merchants/:merchantId/collections',
      docs: createCollectionDocs,
      query: livemodeQuery,
      body: wantedCollection,
      handle: async (api, { body, member, query }) => {
        const connected = api.chains.find(body.chainId)
        if (!connected || connected.chain.livemode !== query.livemode)
          return refuse('unsupported_asset', { param: 'chainId', message: 'The chain is not enabled on this server.' })
        const { chain } = connected
        const asset = body.asset ?? undefined
        if (asset !== undefined && !assetsOf(chain).some(each => each.asset === asset))
          return refuse('unsupported_asset', { param: 'asset' })
        const treasury = body.treasury && requireAddress(body.treasury)
        const wanted = { merchantId: member.merchantId, asset, treasury, timeoutMs }
        const collection = await nextCollection(api, connected, wanted).catch(refuseWhenAway)
        return { status: 201, body: collectionRecord(chain, asset, collection) }
      },
    },
  ),
]

/** Up to twelve requests to a node, one after the other. */
const timeoutMs = 15_000

const refuseWhenAway = (error: unknown): never => {
  if (error instanceof RpcFault || error instanceof RpcRefusal) return refuse('chain_unavailable', { retryAfter: 5 })
  throw error
}
